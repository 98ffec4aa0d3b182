/* The microphone: opened on a click, heard as frames of 100 ms, and every way that it fails said in words. */

const RATE = 16000;
const ASKED = { channelCount: 1, echoCancellation: false, noiseSuppression: false, autoGainControl: false };
const QUIET_FRAMES = 30;

const REFUSALS = /** @type {Record<string, string>} */ ({
  NotAllowedError: "The browser does not give the microphone to this page. Allow it beside the address of the page, then press Speak again.",
  NotFoundError: "No microphone was found. Plug one in, then press Speak again.",
  NotReadableError: "Another program holds the microphone. Close it there, then press Speak again.",
});

/** @returns {string} why this page cannot have a microphone and how to get one, or "" */
export function whyNot() {
  if (!window.isSecureContext)
    return `Browsers give the microphone only to pages that come from this very machine or over https. Open Viva as localhost on the machine that serves it, reach it through a tunnel (ssh -L ${location.port || 80}:localhost:${location.port || 80} ${location.hostname}), or put https before it: docs/deploy.md says how. Typing works here as ever.`;
  if (!navigator.mediaDevices?.getUserMedia || !window.AudioWorkletNode) return "This browser has no microphone for pages; a current Chrome, Edge, Firefox or Safari has.";
  return "";
}

/**
 * @param {Int16Array} frame
 * @returns {number} its loudness in dB below the loudest there can be
 */
export function loudness(frame) {
  let sum = 0;
  for (const sample of frame) sum += sample * sample;
  return 20 * Math.log10(Math.sqrt(sum / frame.length) / 32768 + 1e-6);
}

export class Microphone {
  /**
   * @param {URL} worklet
   * @param {(frame: Int16Array, level: number) => void} onFrame
   * @param {(words: string, lost: boolean) => void} onTrouble lost: no more frames will come
   */
  constructor(worklet, onFrame, onTrouble) {
    this.worklet = worklet;
    this.onFrame = onFrame;
    this.onTrouble = onTrouble;
    /** @type {MediaStream|null} */
    this.stream = null;
    /** @type {AudioContext|null} */
    this.context = null;
    this.quiet = 0;
  }

  get open() {
    return this.stream !== null;
  }

  /** Open it. Rejects with an Error whose message is for people. */
  async start() {
    const refusal = whyNot();
    if (refusal) throw new Error(refusal);
    try {
      this.stream = await navigator.mediaDevices.getUserMedia({ audio: ASKED });
      await this.#listen(this.stream);
    } catch (error) {
      this.stop();
      const name = error instanceof DOMException ? error.name : "";
      throw new Error(REFUSALS[name] ?? `The microphone could not be opened (${name || error}).`);
    }
  }

  /** Give it back: the browser's sign that it is in use goes out. */
  stop() {
    for (const track of this.stream?.getTracks() ?? []) {
      track.onended = null;
      track.onmute = null;
      track.stop();
    }
    this.stream = null;
    void this.context?.close();
    this.context = null;
  }

  /** @param {MediaStream} stream */
  async #listen(stream) {
    const context = context16k(stream);
    this.context = context;
    await context.resume();
    await context.audioWorklet.addModule(this.worklet);
    const node = new AudioWorkletNode(context, "frames", { numberOfOutputs: 0, channelCount: 1, channelCountMode: "explicit" });
    this.quiet = 0;
    node.port.onmessage = (message) => this.#frame(message.data);
    context.createMediaStreamSource(stream).connect(node);
    const [track] = stream.getAudioTracks();
    if (!track) return;
    track.onended = () => this.#lost("The microphone is gone: unplugged, or taken away by the browser. What you said is kept. Plug it in, then go on.");
    track.onmute = () => this.onTrouble("The microphone is muted. What you said is kept; unmute it to go on.", false);
    track.onunmute = () => this.onTrouble("", false);
  }

  /** @param {Int16Array} frame */
  #frame(frame) {
    if (!this.stream) return;
    this.quiet = frame.every((sample) => sample === 0) ? this.quiet + 1 : 0;
    if (this.quiet === QUIET_FRAMES) this.onTrouble("The microphone gives no sound at all: it may be muted, by its switch or in the system's settings.", false);
    this.onFrame(frame, loudness(frame));
  }

  /** @param {string} words */
  #lost(words) {
    this.stop();
    this.onTrouble(words, true);
  }
}

/**
 * A context at 16 kHz; where the browser will not mix rates, one at the microphone's own.
 * @param {MediaStream} stream
 */
function context16k(stream) {
  const context = new AudioContext({ sampleRate: RATE });
  try {
    context.createMediaStreamSource(stream).disconnect();
    return context;
  } catch {
    void context.close();
    return new AudioContext();
  }
}
