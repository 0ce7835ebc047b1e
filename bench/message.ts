export type Message = {
  head: string;
  body: string;
  length: number;
};

/** The first message, or null while it is incomplete. Knows only Content-Length, to cost little. */
export function readMessage(received: string): Message | null {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const head = received.slice(0, headEnd + 2);
  const bodyStart = headEnd + 4;
  const length = bodyStart + Number(/\r\ncontent-length: *(\d+)\r/i.exec(head)?.[1] ?? 0);
  return received.length < length ? null : { head, body: received.slice(bodyStart, length), length };
}
