import { hostname } from 'node:os';
import {
  type AttributeValue,
  type Context,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { z } from 'zod';
import type { Logger } from '../logger.ts';
import { percentDecoded } from '../redisAddress.ts';
import { reasonOf, within } from '../within.ts';
import { type Attributes, type NewSpan, partsOf, type Span, type Tracing } from './tracing.ts';

/** Logs when spans start being lost and when they arrive again, not each time. */
function reporting(exporter: SpanExporter, log: Logger): SpanExporter {
  let areLost = false;

  function report({ message }: { message?: string } = {}): void {
    const isLost = message !== undefined;
    if (isLost === areLost) return;
    areLost = isLost;
    if (isLost) log.warn({ reason: message }, 'the collector does not accept spans; they are lost');
    else log.info('the collector accepts spans again');
  }

  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        report(result.error);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

/** Some 10 MB of spans; more are dropped. */
const maxQueueSize = 8192;
const sendWithinMs = 5000;
const stopWithinMs = 3000;

const kinds = {
  server: SpanKind.SERVER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
} as const satisfies Record<NewSpan['kind'], SpanKind>;

/** The only file that uses the SDK. Nothing is registered globally or patched; parents are passed explicitly. */
export function startTracing(args: {
  service: string;
  url: string;
  headers: Record<string, string>;
  /** The share of traces recorded, decided by trace id so that all services agree. */
  ratio: number;
  log: Logger;
}): Tracing {
  const { url, headers, log } = args;
  const exporter = reporting(new OTLPTraceExporter({ url, headers, timeoutMillis: sendWithinMs }), log);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.namespace': 'holdfast',
      'service.name': args.service,
      'service.instance.id': `${hostname()}-${process.pid}`,
    }),
    sampler: new TraceIdRatioBasedSampler(args.ratio),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize,
        scheduledDelayMillis: 1000,
        exportTimeoutMillis: 2 * sendWithinMs,
      }),
    ],
  });
  const tracer = provider.getTracer('holdfast');
  return {
    start({ name, kind, parent, attributes = {}, startedAtMs }) {
      const options = { kind: kinds[kind], attributes: known(attributes) };
      const timed = startedAtMs === undefined ? options : { ...options, startTime: startedAtMs };
      return toSpan(tracer.startSpan(name, timed, contextOf(parent)));
    },
    async stop() {
      await within(stopWithinMs, 'sending the last spans', provider.shutdown()).catch((error: unknown) => {
        log.warn({ reason: reasonOf(error) }, 'spans lost');
      });
    },
  };
}

function contextOf(parent: string | null): Context {
  if (parent === null) return ROOT_CONTEXT;
  const { traceId, spanId, sampled } = partsOf(parent);
  const traceFlags = sampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function toSpan(span: OtelSpan): Span {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    traceId,
    traceparent: `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED) === 0 ? '00' : '01'}`,
    set: (attributes) => void span.setAttributes(known(attributes)),
    fail: (type) => void span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR }),
    end: () => span.end(),
  };
}

function known(attributes: Attributes): Record<string, AttributeValue> {
  const told = Object.entries(attributes).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(told) as Record<string, AttributeValue>;
}

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

/** Of a service whose work is traced; the names are those of OpenTelemetry. See docs/tracing.md. */
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
