import type { Logger } from '../logger.ts';
import type { TracingConfig } from './provider.ts';

/** What is null or undefined is left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

export type NewSpan = {
  name: string;
  /** `server` answers a request, `consumer` works on what a queue brought, `client` asks somebody else. */
  kind: 'server' | 'consumer' | 'client' | 'internal';
  /** A traceparent; null: a trace of its own. */
  parent: string | null;
  attributes?: Attributes;
  /** Milliseconds since 1970; now unless told. */
  begunAtMs?: number;
};

/** A piece of work that has begun. Nothing of it is sent before `end`. */
export type Span = {
  traceId: string;
  /** For whoever goes on with the work. */
  traceparent: string;
  set(attributes: Attributes): void;
  /** It did not go well; `type` is one of few, such as a code. */
  fail(type: string): void;
  end(): void;
};

export type Tracing = {
  begin(span: NewSpan): Span;
  /** Sends what has ended, within seconds. */
  stop(): Promise<void>;
};

/** Null, and nothing is loaded, unless an endpoint is set. */
export async function openTracing(
  service: string,
  config: TracingConfig,
  log: Logger,
): Promise<Tracing | null> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = config;
  if (endpoint === undefined) return null;
  const { startTracing } = await import('./provider.ts');
  return startTracing({
    service,
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    ratio: config.OTEL_TRACES_SAMPLER_ARG,
    log,
  });
}

/** What spans of an execution have in common. */
export function executionAttributes(of: {
  executionId: string | null;
  organizationId: string | undefined;
  model?: string | null;
}): Attributes {
  return {
    'holdfast.execution_id': of.executionId,
    'holdfast.organization_id': of.organizationId,
    'holdfast.model': of.model,
  };
}

const shape = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const isNothing = (id: string) => /^0+$/.test(id);

/**
 * A `traceparent` header as W3C Trace Context has it, ready to be kept and passed on: as it came, or, from a version after
 * `00`, the part of it that `00` knows. Null for what is none; nobody is told, for a broken one must not fail a request.
 */
export function readTraceparent(header: string | string[] | undefined): string | null {
  if (typeof header !== 'string') return null;
  const [, version, traceId = '', spanId = '', flags = '', more] = shape.exec(header) ?? [];
  if (version === undefined || version === 'ff' || isNothing(traceId) || isNothing(spanId)) return null;
  if (version !== '00') return `00-${traceId}-${spanId}-${isSampled(flags) ? '01' : '00'}`;
  return more === undefined ? header : null;
}

/** The parts of a traceparent that `readTraceparent` gave. */
export function partsOf(traceparent: string): { traceId: string; spanId: string; sampled: boolean } {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  return { traceId, spanId, sampled: isSampled(flags) };
}

function isSampled(flags: string): boolean {
  return (Number.parseInt(flags, 16) & 1) === 1;
}
