/* The round's socket: connects, notices silence, comes back with backoff and jitter, and asks only for what it missed. */

const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 15000;
const PING_MS = 15000;
const SILENCE_MS = 40000;
const BUSY_WAIT_MS = 5000;
const CLOSE = { policy: 1008, unknown: 4404, slow: 4408, taken: 4409, tooMany: 4429 };

/**
 * How long to wait before the next try: doubled each time, and anything from half to the whole of it,
 * so that many pages do not come back at one moment.
 * @param {number} attempt from 0
 * @param {number} random from 0 to 1
 * @returns {number} milliseconds
 */
export function waitBefore(attempt, random) {
  const most = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
  return most / 2 + (most / 2) * random;
}

/**
 * @typedef {{after: number, at: string}} Cursor the last event that the page has
 * @typedef {"connecting"|"open"|"waiting"|"offline"|"taken"|"gone"|"refused"} State
 */

export class Live {
  /**
   * @param {string} path of the socket, without a query
   * @param {Cursor} cursor
   * @param {(frame: any) => void} onFrame
   * @param {(state: State, waitMs: number) => void} onState
   */
  constructor(path, cursor, onFrame, onState) {
    this.path = path;
    this.cursor = cursor;
    this.onFrame = onFrame;
    this.onState = onState;
    this.attempt = 0;
    this.heardAt = 0;
    /** @type {WebSocket|null} */
    this.socket = null;
    this.timer = 0;
    this.stopped = false;
    setInterval(() => this.#beat(), PING_MS);
    addEventListener("online", () => this.#hurry());
    addEventListener("offline", () => this.#offline());
    addEventListener("pageshow", (event) => event.persisted && this.#hurry());
  }

  connect() {
    clearTimeout(this.timer);
    this.stopped = false;
    this.onState("connecting", 0);
    const url = new URL(this.path, location.href);
    url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    url.searchParams.set("after", String(this.cursor.after));
    if (this.cursor.at) url.searchParams.set("at", this.cursor.at);
    // One that still connects would come second, and take the round away from the new one.
    this.socket?.close();
    const socket = new WebSocket(url);
    this.socket = socket;
    this.heardAt = Date.now();
    socket.onmessage = (message) => socket === this.socket && this.#frame(message.data);
    socket.onclose = (event) => socket === this.socket && this.#closed(event.code);
  }

  /**
   * @param {object} frame
   * @returns {boolean} whether it was handed to the socket; only an ack says that it arrived
   */
  send(frame) {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(frame));
    return true;
  }

  /**
   * A frame of sound: its number, then its samples, the low byte first on every machine.
   * @param {number} number
   * @param {Int16Array|undefined} samples
   * @returns {boolean} whether it was handed to the socket
   */
  sendSound(number, samples) {
    if (this.socket?.readyState !== WebSocket.OPEN || !samples) return false;
    const bytes = new DataView(new ArrayBuffer(4 + 2 * samples.length));
    bytes.setUint32(0, number);
    samples.forEach((sample, at) => bytes.setInt16(4 + 2 * at, sample, true));
    this.socket.send(bytes.buffer);
    return true;
  }

  /** @returns {number} bytes that the socket has not passed on yet */
  get backlog() {
    return this.socket?.bufferedAmount ?? 0;
  }

  /** @param {string} data */
  #frame(data) {
    this.heardAt = Date.now();
    const frame = JSON.parse(data);
    if (frame.type === "hello") {
      this.attempt = 0;
      this.onState("open", 0);
    }
    if (frame.type === "event") {
      if (frame.seq <= this.cursor.after) return;
      this.cursor = { after: frame.seq, at: frame.at };
    }
    if (frame.type === "hello" && frame.resync) this.cursor = { after: 0, at: "" };
    this.onFrame(frame);
  }

  /** @param {number} code */
  #closed(code) {
    this.socket = null;
    const ends = { [CLOSE.taken]: "taken", [CLOSE.unknown]: "gone", [CLOSE.policy]: "refused" };
    if (code in ends) {
      this.stopped = true;
      this.onState(/** @type {State} */ (ends[code]), 0);
      return;
    }
    if (code === CLOSE.slow) this.attempt = 0;
    const wait = code === CLOSE.tooMany ? BUSY_WAIT_MS : waitBefore(this.attempt, Math.random());
    this.attempt += 1;
    this.onState(navigator.onLine ? "waiting" : "offline", wait);
    this.timer = setTimeout(() => this.connect(), wait);
  }

  /** A socket can be dead without a close: silence is noticed, and answered by a new one. */
  #beat() {
    if (!this.socket) return;
    if (Date.now() - this.heardAt > SILENCE_MS) {
      this.socket.close();
      this.#closed(1006);
      return;
    }
    this.send({ type: "ping" });
  }

  #hurry() {
    if (this.stopped) return;
    if (this.socket?.readyState === WebSocket.OPEN) {
      this.onState("open", 0);
      return;
    }
    this.attempt = 0;
    this.connect();
  }

  #offline() {
    if (!this.stopped) this.onState("offline", 0);
  }
}
