import type { Socket } from 'node:net';
import { Client } from 'undici';
import { type Dialling, type DialProgress, dial, type Guard } from './dial.ts';

/**
 * Idle connections are closed before common servers close theirs (2 s and up), so that a request is
 * seldom lost to a connection which is being closed at the other end.
 */
export const idleTimeoutMs = 1500;

/** Of a connection. Then its name is looked up and its addresses are checked anew, however busy it is. */
export const maxAgeMs = 60_000;

/** TLS sessions by the origin they were agreed with: a handshake that resumes one costs a fraction. */
export type TlsSessions = {
  find(origin: string): Buffer | undefined;
  keep(origin: string, session: Buffer): void;
  forget(origin: string): void;
};

const maxSessions = 256;

/** Belongs to one owner of connections: what was verified under its rules is resumed under no other's. */
export function createTlsSessions(): TlsSessions {
  const sessions = new Map<string, Buffer>();
  return {
    find: (origin) => sessions.get(origin),
    keep: (origin, session) => {
      sessions.delete(origin);
      sessions.set(origin, session);
      const [oldest] = sessions.keys();
      if (sessions.size > maxSessions && oldest !== undefined) sessions.delete(oldest);
    },
    forget: (origin) => {
      sessions.delete(origin);
    },
  };
}

/** One connection carries one request at a time. */
export type Connection = {
  readonly origin: string;
  readonly client: Client;
  progress: DialProgress | 'sent';
  /** One for each request: a fresh connection needs it, a kept one that the peer has closed may. */
  mayDial: boolean;
  dialling: Dialling | null;
  dialledAtMs: number;
  /** Once it is open. */
  socket: Socket | null;
  /** Called after each read of the socket, once what came is parsed. */
  onRead: (() => void) | null;
};

/** The connections of one owner; as many as there are requests in flight, so that none waits for another. */
export type Connections = {
  /** A kept connection, the last used first, or a new one, which is dialled when a request is given to it. */
  take(origin: string): Connection;
  /** After a whole answer. */
  giveBack(connection: Connection): void;
  /** After anything else: what is sent or dialled on it ends at once. */
  discard(connection: Connection): void;
  close(): void;
};

/** Per origin; what is given back beyond it is closed. */
const maxIdle = 256;

/** Time limits are the business of whoever sends a request: it discards the connection. */
const clientSettings = {
  pipelining: 1,
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: idleTimeoutMs,
  // A peer's `Keep-Alive: timeout` can only make it less; a second before the peer's time, as Node's agents do.
  keepAliveMaxTimeout: idleTimeoutMs,
  keepAliveTimeoutThreshold: 1000,
};

/** `guard`: whom to ask before dialling; none: what the operator configured. */
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
      // A busy one ends by its request, or is dialled once more where nothing was sent on it yet.
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

/** Origins come and go by the thousand: those without a kept connection leave nothing behind. */
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
  const client = new Client(origin, {
    ...clientSettings,
    connect: (_target, onDone) => {
      // undici dials for ever where the peer hangs up before the request is written, and dials to send again.
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
        onDone: (...outcome) => {
          [, connection.socket] = outcome;
          onDone(...outcome);
          // undici listens by now, and listeners are called in the order they came.
          connection.socket?.on('readable', () => connection.onRead?.());
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
    onRead: null,
  };
  return connection;
}

const monotonicMs = () => performance.now();

function closedError(): Error {
  return Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' });
}
