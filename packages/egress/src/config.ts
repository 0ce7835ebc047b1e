import { flag, publicUrl } from '@holdfast/kit/config';
import { z } from 'zod';
import { parseCidr } from './addresses.ts';
import type { EgressSettings } from './policy.ts';
import { parseProxyUrl } from './proxy.ts';

/** The settings of the egress policy, for `parseConfig`. */
export const egressConfig = {
  PUBLIC_URL: publicUrl,
  EGRESS_ALLOW_CIDRS: z
    .string()
    .default('')
    .transform((text) =>
      text
        .split(',')
        .map((cidr) => cidr.trim())
        .filter(Boolean),
    )
    .refine((cidrs) => cidrs.every(isCidr), 'must be CIDRs, comma-separated, such as 127.0.0.0/8,::1/128')
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
      const problem = text === undefined ? null : proxyProblem(text);
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

export type EgressConfig = z.infer<z.ZodObject<typeof egressConfig>>;

/** Of a service that reads `egressConfig`. Where it is reached itself is never dialled. */
export function egressSettings(config: EgressConfig & { WEBHOOK_ALLOW_HTTP?: boolean }): EgressSettings {
  return {
    allowCidrs: config.EGRESS_ALLOW_CIDRS,
    allowHttp: config.WEBHOOK_ALLOW_HTTP ?? false,
    highPorts: config.EGRESS_HIGH_PORTS,
    ownHosts: config.PUBLIC_URL === undefined ? [] : [new URL(config.PUBLIC_URL).hostname],
    proxyUrl: config.EGRESS_PROXY_URL,
    proxyResolves: config.EGRESS_PROXY_RESOLVES,
  };
}

function isCidr(text: string): boolean {
  try {
    parseCidr(text);
    return true;
  } catch {
    return false;
  }
}

function proxyProblem(text: string): string | null {
  try {
    parseProxyUrl(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : 'must be a URL';
  }
}
