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
