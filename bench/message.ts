/** A whole HTTP/1.1 message, as text of single bytes (latin1). */
export type Message = {
  head: string;
  body: string;
  /** Of head and body, in characters. */
  length: number;
};

/**
 * The first message of what came in; null as long as some of it is missing. It knows as little of HTTP as both sides of
 * the bench need, a Content-Length where there is a body: what the bench costs is missing in what it measures.
 */
export function readMessage(received: string): Message | null {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const head = received.slice(0, headEnd + 2);
  const bodyStart = headEnd + 4;
  const length = bodyStart + Number(/\r\ncontent-length: *(\d+)\r/i.exec(head)?.[1] ?? 0);
  return received.length < length ? null : { head, body: received.slice(bodyStart, length), length };
}
