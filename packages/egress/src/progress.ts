import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';

/** How far a request has come. Before `sent` the peer can't have seen any of it. */
export type Progress = 'dialling' | 'handshaking' | 'sent';

export function followProgress(request: ClientRequest): () => Progress {
  let progress: Progress = 'dialling';
  const follow = (socket: Socket & { encrypted?: boolean }) => {
    if (request.reusedSocket || !socket.connecting) {
      progress = 'sent';
      return;
    }
    socket.once('connect', () => {
      progress = socket.encrypted ? 'handshaking' : 'sent';
    });
    socket.once('secureConnect', () => {
      progress = 'sent';
    });
  };
  if (request.socket) follow(request.socket);
  else request.once('socket', follow);
  return () => progress;
}

/** Node's message for several failed addresses is empty; the code says as much. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message !== '' ? error.message : ((error as NodeJS.ErrnoException).code ?? error.name);
}
