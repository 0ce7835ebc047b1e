import { constants } from 'node:crypto';
import { ADDRCONFIG, type LookupAddress } from 'node:dns';
import net, { type LookupFunction, type Socket } from 'node:net';
import tls from 'node:tls';
import { portOf } from './addresses.ts';
import type { TlsSessions } from './connections.ts';
import type { EgressPolicy } from './policy.ts';
import { openTunnel } from './proxy.ts';

/** What dialling asks of a policy. */
export type Guard = Pick<EgressPolicy, 'lookupFor' | 'opensOrigin' | 'proxy'>;

/** What a connection has come to before anything is sent. */
export type DialProgress = 'dialling' | 'handshaking' | 'connected';

type Dial = {
  /** As `URL.origin` writes it. */
  origin: string;
  /** It is not asked about an address written out in the URL: `policy.checkUrl` covers those. */
  guard: Guard | undefined;
  sessions: TlsSessions;
  onProgress: (progress: DialProgress) => void;
  /** Once; never when it is destroyed first. */
  onDone: Done;
};

type Done = (...outcome: [null, Socket] | [Error, null]) => void;

/** What is being dialled, or the socket that it came to. */
export type Dialling = { destroy(): void };

type Target = { origin: string; isTls: boolean; host: string; port: number };

const probeAfterMs = 60_000;
const attemptTimeoutMs = 1500;
/** Of one connection; servers send two to four. Each costs our processor, and none is data that somebody would count. */
const maxSessions = 16;

/** Opens a socket to an origin. It has no time limit of its own: whoever gives up destroys it. */
export function dial(call: Dial): Dialling {
  const { origin, onProgress, onDone } = call;
  const guard = call.guard?.opensOrigin(origin) ? undefined : call.guard;
  const url = new URL(origin);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const target = { origin, isTls: url.protocol === 'https:', host, port: portOf(url) };
  let isOver = false;
  let held: Dialling | undefined;
  const fail = (error: Error) => {
    if (!isOver) onDone(error, null);
  };
  const open = (addresses: LookupAddress[] | null) => {
    if (isOver) return;
    const proxy = guard?.proxy;
    if (!proxy) {
      held = connect(call, target, addresses);
      return;
    }
    held = openTunnel(proxy, { host: chosen(addresses) ?? host, port: target.port }, (error, socket) => {
      if (error) fail(error);
      else held = connect(call, target, addresses, socket);
    });
  };
  onProgress('dialling');
  if (!guard || guard.proxy?.resolves || net.isIP(host) !== 0) open(null);
  else resolve(guard, host, target.port, (error, found) => (error ? fail(error) : open(found)));
  return {
    destroy() {
      isOver = true;
      held?.destroy();
    },
  };
}

/** As `net.connect` would ask; what this machine can't reach a proxy may. */
function resolve(
  guard: Guard,
  host: string,
  port: number,
  done: (error: Error | null, addresses: LookupAddress[]) => void,
): void {
  const hints = guard.proxy ? 0 : ADDRCONFIG;
  guard.lookupFor(port)(host, { all: true, hints }, (error, addresses) => {
    done(error, Array.isArray(addresses) ? addresses : []);
  });
}

/** A proxy is asked for one address; all can reach IPv4. */
function chosen(addresses: LookupAddress[] | null): string | undefined {
  return (addresses?.find(({ family }) => family === 4) ?? addresses?.[0])?.address;
}

/** To the addresses that were checked, where a name has such, or through a tunnel to one of them. */
function connect(
  { sessions, onProgress, onDone }: Dial,
  target: Target,
  addresses: LookupAddress[] | null,
  tunnel?: Socket,
): Socket {
  const at = {
    host: target.host,
    port: target.port,
    // Of each address but the last; Node's 250 ms are less than the way to the other side of the world and back.
    autoSelectFamilyAttemptTimeout: attemptTimeoutMs,
    ...(addresses === null ? {} : { lookup: answering(addresses) }),
    ...(tunnel === undefined ? {} : { socket: tunnel }),
  };
  const sessionKey = `${target.origin} ${addressKey(addresses)}`;
  const socket = target.isTls ? connectTls(at, sessionKey, sessions) : (tunnel ?? net.connect(at));
  socket.setNoDelay(true).setKeepAlive(true, probeAfterMs);
  let isOpen = false;
  const finish = () => {
    isOpen = true;
    onProgress('connected');
    onDone(null, socket);
  };
  // Stays for good: an error without a listener would end the process.
  socket.on('error', (error) => {
    if (isOpen) return;
    sessions.forget(sessionKey);
    onDone(error, null);
  });
  if (target.isTls && tunnel) onProgress('handshaking');
  else if (target.isTls) socket.once('connect', () => onProgress('handshaking'));
  if (socket === tunnel) finish();
  else socket.once(target.isTls ? 'secureConnect' : 'connect', finish);
  return socket;
}

function answering(addresses: LookupAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all || first === undefined) callback(null, addresses);
    else callback(null, first.address, first.family);
  };
}

/** A session is resumed with who answers at the same addresses alone. */
function addressKey(addresses: LookupAddress[] | null): string {
  return (addresses ?? [])
    .map(({ address }) => address)
    .toSorted()
    .join();
}

function connectTls(
  at: { host: string; port: number; lookup?: LookupFunction; socket?: Socket },
  sessionKey: string,
  sessions: TlsSessions,
): Socket {
  const session = sessions.find(sessionKey);
  const socket = tls.connect({
    ...at,
    ALPNProtocols: ['http/1.1'],
    // A peer could ask for one after the other, each some 100 us of our processor.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    // A name is sent without the root's dot; an address is not sent at all, but verified as `host`.
    ...(net.isIP(at.host) === 0 ? { servername: at.host.replace(/\.$/, '') } : {}),
    ...(session === undefined ? {} : { session }),
  });
  let agreements = 0;
  socket.on('session', (agreed) => {
    agreements += 1;
    if (agreements > maxSessions) socket.destroy(new Error('the peer begins TLS sessions without end'));
    else sessions.keep(sessionKey, agreed);
  });
  return socket;
}
