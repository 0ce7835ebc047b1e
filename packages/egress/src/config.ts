import { flag, listOf, publicUrl } from '@holdfast/kit/config';
import { z } from 'zod';
import { parseCidr, parseOrigin } from './addresses.ts';
import type { EgressSettings } from './policy.ts';
import { parseProxyUrl } from './proxy.ts';

/** The settings of the egress policy, for `parseConfig`. */
export const egressConfig = {
  PUBLIC_URL: publicUrl,
  EGRESS_ALLOW_CIDRS: z
    .string()
    .default('')
    .transform(listOf)
    .refine(
      (cidrs) => cidrs.every((cidr) => isTaken(parseCidr, cidr)),
      'must be CIDRs, comma-separated, such as 127.0.0.0/8,::1/128',
    )
    .describe(
      'Addresses beyond the public ones that may be dialled, as CIDRs, comma-separated (development only)',
    ),
  EGRESS_HIGH_PORTS: flag()
    .default(false)
    .describe('true: ports 1024-65535 of public addresses may be dialled, not 443 and 8443 alone'),
  EGRESS_PROXY_URL: z
    .string()
    .optional()
    .superRefine((text, context) => {
      const problem = text === undefined ? null : problemOf(parseProxyUrl, text);
      if (problem !== null) context.addIssue(problem);
    })
    .describe(
      'HTTP proxy for webhooks and for files that providers keep elsewhere, as http://user:password@host:port; not for the base URLs of providers',
    ),
  EGRESS_PROXY_RESOLVES: flag()
    .default(false)
    .describe(
      'true: the proxy is given names instead of checked addresses, and has to refuse private ones itself',
    ),
};

/** Of the services that take and post webhooks. What is opened here is closed to downloads. */
export const webhookEgressConfig = {
  ...egressConfig,
  WEBHOOK_ALLOW_HTTP: flag().default(false).describe('true: webhooks may be plain http (development only)'),
  WEBHOOK_ALLOW_ORIGINS: z
    .string()
    .default('')
    .transform(listOf)
    .refine(
      (origins) => origins.every((origin) => isTaken(parseOrigin, origin)),
      'must be origins, comma-separated, such as http://127.0.0.1:8790',
    )
    .describe(
      'Origins that webhooks of any tenant may go to whatever they are, comma-separated, such as http://127.0.0.1:8790 (development only)',
    ),
};

type EgressConfig = z.infer<z.ZodObject<typeof egressConfig>>;
type WebhookEgressConfig = z.infer<z.ZodObject<typeof webhookEgressConfig>>;

/** Of a service that reads `egressConfig`. Where it is reached itself is never dialled. */
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

const isTaken = (parse: (text: string) => unknown, text: string) => problemOf(parse, text) === null;

/** Why a text can't be parsed; null when it can. */
function problemOf(parse: (text: string) => unknown, text: string): string | null {
  try {
    parse(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
