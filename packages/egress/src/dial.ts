import { constants } from 'node:crypto';
import { ADDRCONFIG, type LookupAddress } from 'node:dns';
import net, { type LookupFunction, type Socket } from 'node:net';
import tls from 'node:tls';
import { LRUCache } from 'lru-cache';
import { portOf } from './addresses.ts';
import type { EgressPolicy } from './policy.ts';
import { openTunnel } from './proxy.ts';

export type Guard = Pick<EgressPolicy, 'lookupFor' | 'opensOrigin' | 'proxy'>;

export type DialProgress = 'dialling' | 'handshaking' | 'connected';

type Dial = {
  origin: string;
  /** Checks the addresses of names. Addresses in a URL are checked by `policy.checkUrl`. */
  guard: Guard | undefined;
  sessions: TlsSessions;
  onProgress: (progress: DialProgress) => void;
  onDone: Done;
  /** Look-up, proxy and TLS included. Without it the caller destroys what takes too long. */
  withinMs?: number | undefined;
};

type Done = (...outcome: [null, Socket] | [Error, null]) => void;

export type Dialling = { destroy(): void };

type Target = { origin: string; isTls: boolean; host: string; port: number };

/** Then the kernel queries a silent peer, every second: ten queries without response end the connection. */
const probeAfterMs = 10_000;
const attemptTimeoutMs = 1500;
/** Servers send two to four. Each costs CPU, and none counts towards the response size. */
const maxSessionsPerConnection = 16;

/** TLS sessions by origin and addresses: resuming one saves most of a handshake. One cache per owner of connections. */
export type TlsSessions = LRUCache<string, Buffer>;

export const createTlsSessions = (): TlsSessions => new LRUCache({ max: 256 });

export function dial({ withinMs, ...given }: Dial): Dialling {
  const onDone: Done = (...outcome) => {
    clearTimeout(timer);
    given.onDone(...outcome);
  };
  const call = { ...given, onDone };
  const { origin, onProgress } = call;
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
  const dialling = {
    destroy() {
      isOver = true;
      clearTimeout(timer);
      held?.destroy();
    },
  };
  const giveUp = () => {
    dialling.destroy();
    onDone(Object.assign(new Error(`not connected within ${withinMs} ms`), { code: 'ETIMEDOUT' }), null);
  };
  const timer = withinMs === undefined ? undefined : setTimeout(giveUp, withinMs);
  onProgress('dialling');
  if (!guard || guard.proxy?.resolves || net.isIP(host) !== 0) open(null);
  else resolve(guard, host, target.port, (error, found) => (error ? fail(error) : open(found)));
  return dialling;
}

/** With the hints of `net.connect`, except for a proxy, which may reach addresses that this machine can't. */
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

/** The one address to request from a proxy: IPv4 first, which every proxy reaches. */
function chosen(addresses: LookupAddress[] | null): string | undefined {
  return (addresses?.find(({ family }) => family === 4) ?? addresses?.[0])?.address;
}

function connect(
  { sessions, onProgress, onDone }: Dial,
  target: Target,
  addresses: LookupAddress[] | null,
  tunnel?: Socket,
): Socket {
  const at = {
    host: target.host,
    port: target.port,
    // Node's default of 250 ms is less than a round trip around the world.
    autoSelectFamilyAttemptTimeout: attemptTimeoutMs,
    ...(addresses === null ? {} : { lookup: lookupOf(addresses) }),
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
  // Never removed: an error without a listener would end the process.
  socket.on('error', (error) => {
    if (isOpen) return;
    sessions.delete(sessionKey);
    onDone(error, null);
  });
  if (target.isTls && tunnel) onProgress('handshaking');
  else if (target.isTls) socket.once('connect', () => onProgress('handshaking'));
  if (socket === tunnel) finish();
  else socket.once(target.isTls ? 'secureConnect' : 'connect', finish);
  return socket;
}

function lookupOf(addresses: LookupAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all || first === undefined) callback(null, addresses);
    else callback(null, first.address, first.family);
  };
}

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
  const known = sessions.get(sessionKey);
  const socket = tls.connect({
    ...at,
    ALPNProtocols: ['http/1.1'],
    // A peer could request many, each for some 100 us of CPU.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    // A name is sent without the trailing dot; an address is not sent but verified as `host`.
    ...(net.isIP(at.host) === 0 ? { servername: at.host.replace(/\.$/, '') } : {}),
    ...(known === undefined ? {} : { session: known }),
  });
  let count = 0;
  socket.on('session', (session) => {
    count += 1;
    if (count > maxSessionsPerConnection) socket.destroy(new Error('the peer sends too many TLS sessions'));
    else sessions.set(sessionKey, session);
  });
  return socket;
}
