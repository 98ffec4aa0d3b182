/* Runs on the audio thread: gathers what the microphone gives into frames of 100 ms of 16 kHz Int16. */

const RATE = 16000;
const FRAME = 1600;

class Frames extends AudioWorkletProcessor {
  constructor() {
    super();
    this.frame = new Int16Array(FRAME);
    this.filled = 0;
    /** Input samples for each output sample; 1 where the context runs at 16 kHz. */
    this.step = sampleRate / RATE;
    this.sum = 0;
    this.count = 0;
    this.left = this.step;
  }

  /** @param {Float32Array[][]} inputs */
  process(inputs) {
    for (const sample of inputs[0]?.[0] ?? []) this.#take(sample);
    return true;
  }

  /**
   * A higher rate is averaged down, which also keeps what lies above 8 kHz from folding back.
   * @param {number} sample
   */
  #take(sample) {
    this.sum += sample;
    this.count += 1;
    this.left -= 1;
    if (this.left >= 0.5) return;
    const mean = Math.max(-1, Math.min(1, this.sum / this.count));
    this.left += this.step;
    this.sum = 0;
    this.count = 0;
    this.frame[this.filled] = Math.round(mean * 32767);
    this.filled += 1;
    if (this.filled < FRAME) return;
    this.port.postMessage(this.frame, [this.frame.buffer]);
    this.frame = new Int16Array(FRAME);
    this.filled = 0;
  }
}

registerProcessor("frames", Frames);
