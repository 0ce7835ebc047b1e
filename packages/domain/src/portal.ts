import type { ApiKeyScope } from './apiKey.ts';

/** What a portal session may show and change. `topup` only links to the operator's payment page. */
export const portalCapabilities = ['executions', 'webhooks', 'keys', 'usage', 'topup'] as const;
export type PortalCapability = (typeof portalCapabilities)[number];

/** An API key gives a session only capabilities whose scope it has itself. */
export const capabilityScopes: Readonly<Record<PortalCapability, ApiKeyScope>> = {
  executions: 'executions:read',
  webhooks: 'webhooks',
  keys: 'keys',
  usage: 'balance',
  topup: 'balance',
};

export const colorSchemes = ['auto', 'light', 'dark'] as const;
export type ColorScheme = (typeof colorSchemes)[number];

/** `retentionS`: how long the page of an ended session may still be framed, to say that it has ended. */
export const portal = {
  linkS: 600,
  minSessionS: 900,
  defaultSessionS: 3600,
  maxSessionS: 86_400,
  keySessionS: 43_200,
  retentionS: 86_400,
  maxOpenPerOrganization: 10_000,
  maxFrameAncestors: 10,
  maxSignedInPerKey: 100,
} as const;

/** The longest name of a host has 253 characters. All origins of a session are in one header. */
const maxOriginLength = 300;

/** An origin that may frame the portal. Plain http only on this machine, where a page is a developer's. */
export function isFrameAncestor(text: string): boolean {
  if (text.length > maxOriginLength) return false;
  const url = URL.parse(text);
  if (url === null || url.origin !== text || !/^[\w.:/[\]-]+$/.test(text)) return false;
  return isReachable(url);
}

/** A page that a browser may be sent to, or an image that it may load. In a policy, `*` would name every host. */
export function isPageUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '' || /[\s"'<>;,\\]/.test(text)) return false;
  if (url.hostname.includes('*')) return false;
  return isReachable(url);
}

function isReachable({ protocol, hostname, port }: URL): boolean {
  return port !== '0' && (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname)));
}

/** A policy takes a path that ends in a slash for everything below it, and cannot name that page alone. */
export function isImageUrl(text: string): boolean {
  return isPageUrl(text) && !new URL(text).pathname.endsWith('/');
}

const isLoopback = (host: string) => ['localhost', '127.0.0.1', '[::1]'].includes(host);
