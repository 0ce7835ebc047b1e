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
import { BatchSpanProcessor, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Logger } from '../logger.ts';
import { reasonOf } from '../reason.ts';
import { within } from '../within.ts';
import { reporting } from './reporting.ts';
import { partsOf } from './traceparent.ts';
import type { Attributes, NewSpan, Span, Tracing } from './tracing.ts';

/** Spans that wait to be sent, some 10 MB; what comes beyond is dropped. */
const maxQueueSize = 8192;
const sendWithinMs = 5000;
const stopWithinMs = 3000;

const kinds = {
  server: SpanKind.SERVER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
} as const satisfies Record<NewSpan['kind'], SpanKind>;

/**
 * The only file that knows the SDK. Nothing is registered globally and nothing patched: parents are passed by hand, as
 * everything here is.
 */
export function startTracing(args: {
  service: string;
  url: string;
  headers: Record<string, string>;
  /** Of traces that are recorded, whatever clients ask for: by the trace id, so that all services agree. */
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
    begin({ name, kind, parent, attributes = {}, begunAtMs }) {
      const options = { kind: kinds[kind], attributes: known(attributes) };
      const timed = begunAtMs === undefined ? options : { ...options, startTime: begunAtMs };
      return toSpan(tracer.startSpan(name, timed, contextOf(parent)));
    },
    async stop() {
      await within(stopWithinMs, 'sending the last spans', provider.shutdown()).catch((error: unknown) => {
        log.warn({ reason: reasonOf(error) }, 'spans were lost');
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
