import net, { type LookupFunction, type Socket } from 'node:net';
import tls from 'node:tls';
import { portOf } from './policy.ts';
import type { TlsSessions } from './tlsSessions.ts';

export type LookupFor = (port: number) => LookupFunction;

/** What a connection has come to before anything is sent. */
export type DialProgress = 'dialling' | 'handshaking' | 'connected';

type Dial = {
  /** As `URL.origin` writes it. */
  origin: string;
  /** Node does not ask it about an address written out in the URL: `policy.checkUrl` covers those. */
  lookupFor: LookupFor | undefined;
  sessions: TlsSessions;
  onProgress: (progress: DialProgress) => void;
  /** Once; never when the socket is destroyed first. */
  onDone: (...outcome: [null, Socket] | [Error, null]) => void;
};

const probeAfterMs = 60_000;

/** Opens a socket to an origin. It has no time limit of its own: whoever gives up destroys it. */
export function dial({ origin, lookupFor, sessions, onProgress, onDone }: Dial): Socket {
  const url = new URL(origin);
  const port = portOf(url);
  const target = {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port,
    ...(lookupFor === undefined ? {} : { lookup: lookupFor(port) }),
  };
  const isTls = url.protocol === 'https:';
  onProgress('dialling');
  const socket = isTls ? dialTls(target, origin, sessions) : net.connect(target);
  socket.setNoDelay(true).setKeepAlive(true, probeAfterMs);
  if (isTls) socket.once('connect', () => onProgress('handshaking'));
  let isOpen = false;
  socket.once(isTls ? 'secureConnect' : 'connect', () => {
    isOpen = true;
    onProgress('connected');
    onDone(null, socket);
  });
  // Stays for good: an error without a listener would end the process.
  socket.on('error', (error) => {
    if (isOpen) return;
    sessions.forget(origin);
    onDone(error, null);
  });
  return socket;
}

function dialTls(
  target: { host: string; port: number; lookup?: LookupFunction },
  origin: string,
  sessions: TlsSessions,
): Socket {
  const session = sessions.find(origin);
  const socket = tls.connect({
    ...target,
    ALPNProtocols: ['http/1.1'],
    // A name is sent without the root's dot; an address is not sent at all, but verified as `host`.
    ...(net.isIP(target.host) === 0 ? { servername: target.host.replace(/\.$/, '') } : {}),
    ...(session === undefined ? {} : { session }),
  });
  socket.on('session', (agreed) => sessions.keep(origin, agreed));
  return socket;
}
