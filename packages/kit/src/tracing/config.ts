import { z } from 'zod';
import { percentDecoded } from '../redisAddress.ts';

const headerName = /^[\w!#$%&'*+.^`|~-]+$/;
const headerValue = /^[\x20-\x7e]*$/;

function readHeaders(text: string): Record<string, string> | null {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  const headers = pairs.map((pair) => {
    const at = pair.indexOf('=');
    return [pair.slice(0, Math.max(0, at)).trim(), percentDecoded(pair.slice(at + 1).trim())] as const;
  });
  const isRight = headers.every(([name, value]) => headerName.test(name) && headerValue.test(value ?? '\n'));
  return isRight ? (Object.fromEntries(headers) as Record<string, string>) : null;
}

/** The settings of a service whose work is traced, by OpenTelemetry's names. See docs/tracing.md. */
export const tracingConfig = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'must be a URL as http://collector:4318' })
    .optional()
    .describe(
      'Where spans are sent, by OTLP over HTTP, as http://collector:4318 (`/v1/traces` is added); nothing is traced unless set',
    ),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .default('')
    // The message does not repeat the value: it contains credentials.
    .refine((text) => readHeaders(text) !== null, 'must be name=value,name=value with percent-encoded values')
    .transform((text) => readHeaders(text) ?? {})
    .describe('Headers of the requests to the collector, such as `authorization=Bearer%20abc`; a secret'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('Share of traces that are recorded, from 0 to 1, chosen by trace id'),
};

export type TracingConfig = z.infer<z.ZodObject<typeof tracingConfig>>;
