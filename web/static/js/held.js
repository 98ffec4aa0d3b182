/* Frames of sound that the server does not have yet, in the browser's own database: a page that goes away loses none of them. */

const NAME = "viva-sound";
const FRAMES = "frames";

/** @returns {Promise<IDBDatabase>} */
function open() {
  return new Promise((resolve, reject) => {
    const asked = indexedDB.open(NAME, 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore(FRAMES);
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
}

/**
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => void} work
 * @returns {Promise<void>} fulfilled when it is on the disk; where storage is blocked nothing happens
 */
async function inStore(mode, work) {
  try {
    const database = await open();
    await new Promise((resolve) => {
      const doing = database.transaction(FRAMES, mode);
      doing.oncomplete = doing.onabort = doing.onerror = resolve;
      work(doing.objectStore(FRAMES));
    });
    database.close();
  } catch {
    /* The frames are still in the page. */
  }
}

export class Held {
  /** @param {string} round */
  constructor(round) {
    this.round = round;
  }

  /**
   * @param {string} id of the spoken answer
   * @param {number} first number of the first frame
   * @param {Int16Array[]} frames
   */
  hold(id, first, frames) {
    return inStore("readwrite", (store) => frames.forEach((frame, at) => store.put(frame, [this.round, id, first + at])));
  }

  /**
   * The server has all frames before this number; without an answer named, everything of the round goes.
   * @param {string} [id]
   * @param {number} [before]
   */
  drop(id, before = 0) {
    return inStore("readwrite", (store) => {
      // In a key, a list sorts after every text.
      store.delete(id ? this.#between(id, 0, before) : IDBKeyRange.bound([this.round], [this.round, []]));
    });
  }

  /**
   * @param {string} id
   * @param {number} first
   * @returns {Promise<Int16Array[]>} the frames from a number on, without a gap
   */
  async from(id, first) {
    /** @type {Int16Array[]} */
    const found = [];
    await inStore("readonly", (store) => {
      store.openCursor(this.#between(id, first, Infinity)).onsuccess = (event) => {
        const cursor = /** @type {IDBRequest<IDBCursorWithValue|null>} */ (event.target).result;
        if (!cursor || /** @type {[string, string, number]} */ (cursor.key)[2] !== first + found.length) return;
        found.push(cursor.value);
        cursor.continue();
      };
    });
    return found;
  }

  /**
   * @param {string} id
   * @param {number} from
   * @param {number} to the number after the last one
   */
  #between(id, from, to) {
    return IDBKeyRange.bound([this.round, id, from], [this.round, id, to], false, true);
  }
}
