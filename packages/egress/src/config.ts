import { flag, listOf, publicUrl } from '@holdfast/kit/config';
import { reasonOf } from '@holdfast/kit/within';
import { z } from 'zod';
import { parseCidr, parseOrigin } from './addresses.ts';
import type { EgressSettings } from './policy.ts';
import { parseProxyUrl } from './proxy.ts';

export const egressConfig = {
  PUBLIC_URL: publicUrl,
  EGRESS_ALLOW_CIDRS: z
    .string()
    .default('')
    .transform(listOf)
    .refine(
      (cidrs) => cidrs.every((cidr) => isValid(parseCidr, cidr)),
      'must be CIDRs, comma-separated, such as 127.0.0.0/8,::1/128',
    )
    .describe(
      'Private addresses that connections are allowed to, as CIDRs, comma-separated (development only)',
    ),
  EGRESS_HIGH_PORTS: flag()
    .default(false)
    .describe('true: ports 1024-65535 of public addresses are allowed, not only 443 and 8443'),
  EGRESS_PROXY_URL: z
    .string()
    .optional()
    .superRefine((text, context) => {
      const problem = text === undefined ? null : problemOf(parseProxyUrl, text);
      if (problem !== null) context.addIssue(problem);
    })
    .describe(
      'HTTP proxy for webhooks and for output files on other hosts, as http://user:password@host:port; not for the base URLs of providers',
    ),
  EGRESS_PROXY_RESOLVES: flag()
    .default(false)
    .describe(
      'true: the proxy gets names instead of checked addresses, and must refuse private addresses itself',
    ),
};

/** For services that accept or send webhooks. It does not apply to downloads. */
export const webhookEgressConfig = {
  ...egressConfig,
  WEBHOOK_ALLOW_HTTP: z
    .enum(['true', 'false', 'loopback'])
    .default('false')
    .transform((value) => (value === 'loopback' ? value : value === 'true'))
    .describe('true: webhooks may use plain http; `loopback`: to this machine (development only)'),
  WEBHOOK_ALLOW_ORIGINS: z
    .string()
    .default('')
    .transform(listOf)
    .refine(
      (origins) => origins.every((origin) => isValid(parseOrigin, origin)),
      'must be origins, comma-separated, such as http://127.0.0.1:8790',
    )
    .describe(
      'Origins that webhooks of every organization may be sent to without further checks, comma-separated, such as http://127.0.0.1:8790 (development only)',
    ),
};

type EgressConfig = z.infer<z.ZodObject<typeof egressConfig>>;
type WebhookEgressConfig = z.infer<z.ZodObject<typeof webhookEgressConfig>>;

/** Connections to the host of PUBLIC_URL, this service itself, are refused. */
export function egressSettings(config: EgressConfig & Partial<WebhookEgressConfig>): EgressSettings {
  return {
    allowCidrs: config.EGRESS_ALLOW_CIDRS,
    allowHttp: config.WEBHOOK_ALLOW_HTTP ?? false,
    allowOrigins: config.WEBHOOK_ALLOW_ORIGINS ?? [],
    highPorts: config.EGRESS_HIGH_PORTS,
    ownHosts: config.PUBLIC_URL === undefined ? [] : [new URL(config.PUBLIC_URL).hostname],
    proxyUrl: config.EGRESS_PROXY_URL,
    proxyResolves: config.EGRESS_PROXY_RESOLVES,
  };
}

const isValid = (parse: (text: string) => unknown, text: string) => problemOf(parse, text) === null;

function problemOf(parse: (text: string) => unknown, text: string): string | null {
  try {
    parse(text);
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}
