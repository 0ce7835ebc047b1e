import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { reasonOf, within } from '@holdfast/kit/within';
import { type Check, type Finding, fetchWithin, unreachable } from '../findings.ts';

export const adminCheck: Check = {
  check: 'admin API',
  fix: 'set HOLDFAST_ADMIN_URL and ADMIN_TOKEN to those of the gateway',
  runbook: 'doctor#admin-api',
  async run(context) {
    await context.openAdmin().request('GET', '/organizations', { query: { limit: '1' } });
    return [{ state: 'ok', check: 'admin API', found: 'responds and accepts the token' }];
  },
};

const publicUrlFix =
  'PUBLIC_URL is where clients reach the gateway: its name, load balancer and proxy must lead there';

export const publicUrlCheck: Check = {
  check: 'public URL',
  fix: publicUrlFix,
  runbook: 'doctor#public-url',
  async run(context) {
    const url = context.providerEnvironment()['PUBLIC_URL'];
    if (!url) {
      const found = 'PUBLIC_URL is not set here';
      return [{ state: 'skipped', check: 'public URL', found }];
    }
    const { origin, protocol } = new URL(url);
    const reached = await reachedFinding(origin);
    return protocol === 'https:' ? [reached, await tlsFinding(origin)] : [reached];
  },
};

async function reachedFinding(origin: string): Promise<Finding> {
  const check = 'public URL';
  try {
    const response = await fetchWithin(`${origin}/openapi.json`);
    const text = await response.text();
    if (response.ok && text.includes('"openapi"'))
      return { state: 'ok', check, found: `${origin} is the gateway` };
    const found = `${origin} returns ${response.status} and is not the gateway`;
    return { state: 'error', check, found, fix: publicUrlFix };
  } catch (error) {
    return unreachable(check, origin, error, publicUrlFix);
  }
}

const soonDays = 14;
const handshakeWithinMs = 10_000;

/** How long the certificate is valid, and whether clients accept it. */
async function tlsFinding(origin: string): Promise<Finding> {
  const check = 'certificate';
  const { hostname, port } = new URL(origin);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  // An invalid certificate is accepted, to report what is wrong with it. SNI takes no addresses.
  const named = isIP(host) === 0 ? { servername: host } : {};
  const socket = connect({ host, port: Number(port || 443), rejectUnauthorized: false, ...named });
  try {
    await within(handshakeWithinMs, 'the TLS handshake', once(socket, 'secureConnect'));
    const { valid_to: until } = socket.getPeerCertificate();
    const days = Math.floor((Date.parse(until) - Date.now()) / 86_400_000);
    const found = `valid for ${days} days, until ${new Date(until).toISOString().slice(0, 10)}`;
    const fix = 'renew it where TLS ends';
    if (!socket.authorized) {
      const why = reasonOf(socket.authorizationError);
      return { state: 'error', check, found: `clients refuse it: ${why}; ${found}`, fix };
    }
    return days < soonDays ? { state: 'warning', check, found, fix } : { state: 'ok', check, found };
  } catch (error) {
    const { code = reasonOf(error) } = error as { code?: string };
    const fix = 'TLS must end there, or PUBLIC_URL must begin with http:';
    return { state: 'error', check, found: `${origin} does not speak TLS: ${code}`, fix };
  } finally {
    socket.destroy();
  }
}
