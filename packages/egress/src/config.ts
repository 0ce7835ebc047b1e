import { z } from 'zod';
import { parseCidr } from './addresses.ts';

/** The addresses that the policy is opened for, for `parseConfig`. */
export const egressAllowCidrs = z
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
  );

function isCidr(text: string): boolean {
  try {
    parseCidr(text);
    return true;
  } catch {
    return false;
  }
}
