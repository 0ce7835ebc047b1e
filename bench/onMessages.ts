import type { Socket } from 'node:net';
import { type Message, readMessage } from './message.ts';

/** Reads HTTP messages off a connection to a receiver; `take` answers what is written back. */
export function onMessages(socket: Socket, take: (message: Message) => string): void {
  let received = '';
  socket.setEncoding('latin1');
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: string) => {
    received += chunk;
    const message = readMessage(received);
    if (!message) return;
    received = received.slice(message.length);
    socket.write(take(message));
  });
}
