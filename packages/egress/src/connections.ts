import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { Client } from 'undici';
import {
  createTlsSessions,
  type Dialling,
  type DialProgress,
  dial,
  type Guard,
  type TlsSessions,
} from './dial.ts';
import { type Wire, wireOf } from './wire.ts';

/** Less than common servers' timeout (2 s and up), so that a request seldom meets a closing connection. */
export const idleTimeoutMs = 1500;

/** Then a new connection is made, and its name is looked up and checked again. */
export const maxAgeMs = 60_000;

export type Connection = {
  readonly origin: string;
  readonly client: Client;
  progress: DialProgress | 'sent';
  /** Once per request: for a new connection, or one that the peer closed while idle. */
  mayDial: boolean;
  dialling: Dialling | null;
  dialledAtMs: number;
  socket: Socket | null;
  wire: Wire | null;
  onRead: (() => void) | null;
};

export type Connections = {
  /** The idle connection used last, or a new one, which its first request dials. */
  take(origin: string): Connection;
  giveBack(connection: Connection): void;
  /** Aborts the request or the dialling. */
  discard(connection: Connection): void;
  close(): void;
};

/** Idle connections of an origin: more than the runs of a dispatcher (512 by default), whose responses come in bursts. */
const maxIdle = 1024;

/** A provider has this time: then the run can still go to the next one. A receiver has the whole time of a delivery. */
const dialWithinMs = 10_000;

const require = createRequire(import.meta.url);

/** Without time limits: a request that times out discards its connection. */
const clientSettings = {
  pipelining: 1,
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: idleTimeoutMs,
  // A peer's `Keep-Alive: timeout` can only reduce it; a second less than the peer's, as in Node's agents.
  keepAliveMaxTimeout: idleTimeoutMs,
  keepAliveTimeoutThreshold: 1000,
};

/** Without a `guard` every address may be dialled, for URLs that the operator configured. */
export function createConnections(guard?: Guard, clock: () => number = monotonicMs): Connections {
  const sessions = createTlsSessions();
  const open = new Set<Connection>();
  const idle = new Map<string, Connection[]>();

  function discard(connection: Connection): void {
    if (!open.delete(connection)) return;
    removeIdle(idle, connection);
    connection.client.destroy(() => {});
    connection.dialling?.destroy();
  }

  function openNew(origin: string): Connection {
    const connection = createConnection(origin, guard, sessions, clock);
    open.add(connection);
    connection.client.on('disconnect', () => {
      // One in use ends with its request, or is dialled once more if nothing was sent yet.
      if (idle.get(origin)?.includes(connection)) discard(connection);
    });
    return connection;
  }

  return {
    take(origin) {
      const connection = idle.get(origin)?.pop() ?? openNew(origin);
      connection.mayDial = true;
      return connection;
    },
    giveBack(connection) {
      if (clock() - connection.dialledAtMs >= maxAgeMs) return discard(connection);
      connection.progress = 'connected';
      const kept = idle.get(connection.origin);
      if (kept === undefined) idle.set(connection.origin, [connection]);
      else if (kept.length < maxIdle) kept.push(connection);
      else discard(connection);
    },
    discard,
    close() {
      for (const connection of open) discard(connection);
    },
  };
}

/** There are thousands of origins: those without an idle connection leave no entry. */
function removeIdle(idle: Map<string, Connection[]>, connection: Connection): void {
  const kept = idle.get(connection.origin);
  if (kept === undefined) return;
  const index = kept.indexOf(connection);
  if (index !== -1) kept.splice(index, 1);
  if (kept.length === 0) idle.delete(connection.origin);
}

function createConnection(
  origin: string,
  guard: Guard | undefined,
  sessions: TlsSessions,
  clock: () => number,
): Connection {
  // Loaded with the first connection, for it takes 29 MB and many processes make none.
  const undici: { Client: typeof Client } = require('undici');
  const client = new undici.Client(origin, {
    ...clientSettings,
    connect: (_target, onDone) => {
      // undici would redial forever when the peer closes before the request is written, and redial to resend.
      if (!connection.mayDial) return onDone(closedError(), null);
      connection.mayDial = false;
      const onProgress = (progress: DialProgress) => {
        connection.progress = progress;
      };
      connection.dialledAtMs = clock();
      connection.dialling = dial({
        origin,
        guard,
        sessions,
        onProgress,
        withinMs: guard ? undefined : dialWithinMs,
        onDone: (error, socket) => {
          if (error) return onDone(error, null);
          const wire = wireOf(socket);
          Object.assign(connection, { socket, wire });
          onDone(null, wire as unknown as Socket);
          // After undici's own listener, which was added first.
          wire.on('readable', () => connection.onRead?.());
        },
      });
    },
  });
  const connection: Connection = {
    origin,
    client,
    progress: 'dialling',
    mayDial: true,
    dialling: null,
    dialledAtMs: 0,
    socket: null,
    wire: null,
    onRead: null,
  };
  return connection;
}

const monotonicMs = () => performance.now();

function closedError(): Error {
  return Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' });
}
