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
import type { Logger } from '../logger.ts';
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
  const defined = Object.entries(attributes).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(defined) as Record<string, AttributeValue>;
}
