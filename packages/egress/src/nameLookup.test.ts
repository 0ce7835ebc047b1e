import { createSocket, type Socket } from 'node:dgram';
import { ADDRCONFIG, type LookupAddress } from 'node:dns';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, jest } from '@jest/globals';
import { createHostsFile, createLookUp } from './nameLookup.ts';

type Records = { A?: string[]; AAAA?: string[] };
type Reply = { code: string | null; addresses: LookupAddress[] };

const typeNumbers = { 1: 'A', 28: 'AAAA' } as const;
const open: Socket[] = [];
const folder = mkdtempSync(join(tmpdir(), 'hosts-'));

afterEach(() => {
  jest.useRealTimers();
  for (const socket of open.splice(0)) socket.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A name server. `recordsFor`: null for silence, an empty record for a name without such an address. */
async function serve(recordsFor: (name: string, type: 'A' | 'AAAA') => string[] | null) {
  const socket = createSocket('udp4');
  open.push(socket);
  const queries: string[] = [];
  socket.on('message', (query, peer) => {
    const end = query.indexOf(0, 12);
    const labels: string[] = [];
    for (let at = 12; at < end; at += 1 + (query[at] ?? 0)) {
      labels.push(query.toString('latin1', at + 1, at + 1 + (query[at] ?? 0)));
    }
    const type = typeNumbers[query.readUInt16BE(end + 1) as 1 | 28];
    queries.push(labels.join('.'));
    const found = recordsFor(labels.join('.'), type);
    if (found !== null) socket.send(replyTo(query.subarray(0, end + 5), found), peer.port, peer.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return { servers: [`127.0.0.1:${socket.address().port}`], queries };
}

function replyTo(question: Buffer, addresses: string[]): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  const type = question.readUInt16BE(question.length - 4);
  const records = addresses.map((address) => {
    const data = address.includes(':')
      ? Buffer.from(address.replace(/[^:]+/g, (group) => group.padStart(4, '0')).replaceAll(':', ''), 'hex')
      : Buffer.from(address.split('.').map(Number));
    const record = Buffer.alloc(12);
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt16BE(data.length, 10);
    return Buffer.concat([record, data]);
  });
  return Buffer.concat([head, ...records]);
}

const zone = (names: Record<string, Records | null>) => (name: string, type: 'A' | 'AAAA') => {
  const records = names[name];
  return records ? (records[type] ?? []) : null;
};

const noHosts = () => [];

function askFor(settings: Parameters<typeof createLookUp>[0]) {
  const lookUp = createLookUp({ findInHosts: noHosts, ...settings });
  return (name: string, family = 0, hints = 0) =>
    new Promise<Reply>((resolve) => {
      lookUp(name, { family, hints }, (error, addresses) =>
        resolve({ code: error?.code ?? null, addresses }),
      );
    });
}

const v4 = (address: string) => ({ address, family: 4 });
const v6 = (address: string) => ({ address, family: 6 });

describe('a lookup', () => {
  it('returns the addresses of both families, IPv4 first, or of the requested one', async () => {
    const { servers } = await serve(
      zone({ 'both.test': { A: ['192.0.2.1'], AAAA: ['2001:db8:0:0:0:0:0:1'] } }),
    );
    const ask = askFor({ servers });
    expect(await ask('both.test')).toEqual({ code: null, addresses: [v4('192.0.2.1'), v6('2001:db8::1')] });
    expect(await ask('both.test', 6)).toEqual({ code: null, addresses: [v6('2001:db8::1')] });
    expect(await ask('both.test.')).toMatchObject({ code: null });
  });

  it('is not delayed by a hundred others whose servers never respond', async () => {
    const { servers, queries } = await serve(zone({ 'good.test': { A: ['192.0.2.1'] } }));
    const ask = askFor({ servers, maxMs: 1000 });
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    let ended = 0;
    const hanging = Array.from({ length: 100 }, async (_, i) => {
      const result = await ask(`hang${i}.test`);
      ended += 1;
      return result.code;
    });
    expect(await ask('good.test')).toMatchObject({ addresses: [v4('192.0.2.1')] });
    expect(ended).toBe(0);
    jest.advanceTimersByTime(1000);
    expect(new Set(await Promise.all(hanging))).toEqual(new Set(['ETIMEOUT']));
    expect(new Set(queries.filter((name) => name.startsWith('hang'))).size).toBeGreaterThan(90);
  });

  it('omits IPv6 with ADDRCONFIG on a machine without it', async () => {
    const { servers } = await serve(
      zone({ 'both.test': { A: ['192.0.2.1'], AAAA: ['2001:db8:0:0:0:0:0:1'] } }),
    );
    const addressesWith = async (hasV6: boolean, hints: number) =>
      (await askFor({ servers, hasV6: () => hasV6 })('both.test', 0, hints)).addresses.length;
    expect(await addressesWith(false, ADDRCONFIG)).toBe(1);
    expect(await addressesWith(true, ADDRCONFIG)).toBe(2);
    expect(await addressesWith(false, 0)).toBe(2);
  });

  it('returns one family when the query for the other gets no response', async () => {
    const { servers } = await serve((_name, type) => (type === 'A' ? ['192.0.2.1'] : null));
    const ask = askFor({ servers, maxSecondMs: 50 });
    expect(await ask('half.test')).toEqual({ code: null, addresses: [v4('192.0.2.1')] });
  });

  it('fails for a name without addresses and for an unreachable server', async () => {
    const { servers } = await serve(zone({ 'empty.test': {} }));
    expect(await askFor({ servers })('empty.test')).toEqual({ code: 'ENODATA', addresses: [] });
    const { servers: gone } = await serve(() => null);
    await new Promise<void>((resolve) => open.pop()?.close(() => resolve()));
    expect(await askFor({ servers: gone, maxMs: 2000 })('any.test')).toMatchObject({
      code: expect.stringMatching(/^(ECONNREFUSED|ETIMEOUT)$/),
    });
  });

  it('returns at most 16 addresses', async () => {
    const many = Array.from({ length: 60 }, (_, i) => `192.0.2.${i}`);
    const { servers } = await serve(zone({ 'many.test': { A: many } }));
    expect((await askFor({ servers })('many.test')).addresses).toHaveLength(16);
  });

  it('uses the hosts file without a query, and its later changes', async () => {
    const { servers, queries } = await serve(() => []);
    const path = join(folder, 'hosts');
    const ask = askFor({ servers, findInHosts: createHostsFile(path) });
    expect(await ask('hooks.test')).toMatchObject({ code: 'ENODATA' });
    const before = queries.length;
    writeFileSync(
      path,
      '# hooks.test\n127.0.0.1\tlocalhost\n10.0.0.5  Hooks.test alias # of ours\n::1 hooks.test\n',
    );
    expect(await ask('HOOKS.test.')).toEqual({ code: null, addresses: [v4('10.0.0.5'), v6('::1')] });
    expect(await ask('hooks.test', 6)).toEqual({ code: null, addresses: [v6('::1')] });
    expect(queries).toHaveLength(before);
  });

  it('uses the system for names that can only be local', async () => {
    const { servers, queries } = await serve(() => ['192.0.2.66']);
    const { addresses } = await askFor({ servers })('localhost');
    expect(addresses.map(({ address }) => address)).toContain('127.0.0.1');
    expect(queries).toEqual([]);
  });
});
