import type { Receiver } from '@holdfast/testkit/webhookReceiver';

/** Makes a receiver answer nothing until it is told to. */
export function hold(receiver: Receiver) {
  const held: (() => void)[] = [];
  receiver.answer = (_request, response) => void held.push(() => void response.writeHead(200).end());
  return {
    count: () => held.length,
    /** Answers what is held, and from now on at once. */
    release() {
      receiver.answer = (_request, response) => void response.writeHead(200).end();
      for (const answer of held) answer();
    },
  };
}
