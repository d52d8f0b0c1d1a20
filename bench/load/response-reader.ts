import { BodyCheck } from './body-check.js';
import type { Expectation } from './wire.js';

const HEAD_END = Buffer.from('\r\n\r\n');
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;
const CHUNKED = /\r\ntransfer-encoding: *chunked/i;
const CLOSE = /\r\nconnection: *close/i;

/** More than this in front of a body is no HTTP response. */
const HEAD_BYTES_MAX = 64 * 1024;

type State = 'head' | 'counted' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailer' | 'until-close';

/**
 * Reads one response after the other from the bytes of a connection and judges each. It knows as
 * little of HTTP as that takes: every cycle here is taken from the server under measurement.
 */
export class ResponseReader {
  status = 0;
  /** The fault of the response, when it is complete. */
  problem: string | undefined;
  /** Whether the connection serves another request. */
  keepsAlive = true;
  /** Bytes of the body that arrived. */
  bodyBytes = 0;

  #state: State = 'head';
  #isHead = false;
  #expect: Expectation = { statuses: [] };
  #check: BodyCheck | undefined;
  #left = 0;
  /** A head, or a line of a chunked body, that the last packet ended in. */
  #partial: Buffer | undefined;

  /** Prepares for a response. Call it before the request is written. */
  begin(method: string, expect: Expectation): void {
    this.#isHead = method === 'HEAD';
    this.#expect = expect;
    this.#state = 'head';
    this.#check = undefined;
    this.#partial = undefined;
    this.problem = undefined;
    this.bodyBytes = 0;
  }

  /** The body, where the expectation has a `check`. */
  get body(): Buffer {
    return this.#check?.collected ?? Buffer.alloc(0);
  }

  /**
   * @param chunk is not kept: its memory may be used again
   * @returns whether the response is complete
   */
  feed(chunk: Buffer): boolean {
    let at = 0;
    while (at < chunk.length) {
      if (this.#state === 'counted' || this.#state === 'chunk' || this.#state === 'until-close') {
        const end = this.#state === 'until-close' ? chunk.length : at + this.#left;
        const part = chunk.subarray(at, end);
        at += part.length;
        this.#left -= part.length;
        this.#take(part);
        if (this.#left > 0) continue;
        if (this.#state === 'counted') return this.#complete(chunk.length - at);
        if (this.#state === 'chunk') this.#state = 'chunk-end';
      } else {
        const isHead = this.#state === 'head';
        const taken = this.#untilMark(chunk, at, isHead ? HEAD_END : HEAD_END.subarray(0, 2));
        if (taken === undefined) return false;
        at = taken.end;
        if (isHead ? this.#readHead(taken.text) : this.#readLine(taken.text)) {
          return this.#complete(chunk.length - at);
        }
      }
    }
    return false;
  }

  /** The server closed the connection. @returns whether that was the end of the response */
  end(): boolean {
    return this.#state === 'until-close' && this.#complete(0);
  }

  /** Text up to a mark that may be spread over packets; undefined when it is not there yet. */
  #untilMark(chunk: Buffer, at: number, mark: Buffer): { text: string; end: number } | undefined {
    if (this.#partial === undefined) {
      const found = chunk.indexOf(mark, at);
      if (found !== -1)
        return { text: chunk.toString('latin1', at, found + 2), end: found + mark.length };
      this.#partial = Buffer.from(chunk.subarray(at));
      return undefined;
    }
    const before = this.#partial.length;
    const joined = Buffer.concat([this.#partial, chunk.subarray(at)]);
    const found = joined.indexOf(mark, Math.max(0, before - mark.length));
    if (found === -1) {
      if (joined.length > HEAD_BYTES_MAX) throw new Error('the response has no end of its head');
      this.#partial = joined;
      return undefined;
    }
    this.#partial = undefined;
    return {
      text: joined.toString('latin1', 0, found + 2),
      end: at + found + mark.length - before,
    };
  }

  /** @returns whether the response has no body */
  #readHead(text: string): boolean {
    this.status = Number(text.slice(9, 12));
    if (this.status < 200) return false;
    this.keepsAlive = !CLOSE.test(text);
    const { statuses, inHead, contentLength } = this.#expect;
    const isExpected = statuses.includes(this.status);
    if (!isExpected) this.problem = `answered ${text.slice(9, text.indexOf('\r\n'))}`;
    else if (inHead !== undefined && !text.includes(inHead))
      this.problem = `the head lacks ${inHead}`;
    this.#check = new BodyCheck(isExpected ? this.#expect : undefined);

    const length = CONTENT_LENGTH.exec(text)?.[1];
    if (this.#isHead || this.status === 204 || this.status === 304) {
      if (contentLength !== undefined && isExpected && Number(length) !== contentLength)
        this.problem ??= `Content-Length is ${length ?? 'missing'}, not ${contentLength}`;
      return true;
    }
    if (length !== undefined) {
      this.#left = Number(length);
      this.#state = 'counted';
      return this.#left === 0;
    }
    this.#state = CHUNKED.test(text) ? 'chunk-size' : 'until-close';
    if (this.#state === 'until-close') this.#left = Infinity;
    return false;
  }

  /** A line between chunks. @returns whether the body is over */
  #readLine(text: string): boolean {
    switch (this.#state) {
      case 'chunk-size':
        this.#left = Number.parseInt(text, 16);
        this.#state = this.#left === 0 ? 'trailer' : 'chunk';
        return false;
      case 'chunk-end':
        this.#state = 'chunk-size';
        return false;
      default:
        return text === '\r\n';
    }
  }

  #take(part: Buffer): void {
    this.bodyBytes += part.length;
    this.#check?.take(part);
  }

  #complete(surplus: number): true {
    if (!this.#isHead) {
      const wrong = this.#check?.finish();
      if (this.problem === undefined) this.problem = wrong;
      else if (wrong !== undefined) this.problem += `: ${wrong}`;
    }
    if (surplus > 0) this.problem ??= `${surplus} bytes follow the response`;
    if (this.#state === 'until-close') this.keepsAlive = false;
    return true;
  }
}
