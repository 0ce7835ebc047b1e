import type { Logger } from '../logger.ts';
import type { TracingConfig } from './config.ts';

export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

export type NewSpan = {
  name: string;
  /** `server` handles a request, `consumer` a job, `client` calls another system. */
  kind: 'server' | 'consumer' | 'client' | 'internal';
  /** A traceparent; null starts a trace. */
  parent: string | null;
  attributes?: Attributes;
  /** Milliseconds since 1970; default: now. */
  startedAtMs?: number;
};

export type Span = {
  traceId: string;
  traceparent: string;
  set(attributes: Attributes): void;
  /** `type` has few values, such as an error code. */
  fail(type: string): void;
  end(): void;
};

export type Tracing = {
  start(span: NewSpan): Span;
  stop(): Promise<void>;
};

/** Null unless an endpoint is set; then nothing is loaded. */
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

/** Reads the fields of `00`, also in later versions (W3C Trace Context). Null when invalid: that must not fail a request. */
export function readTraceparent(header: string | string[] | undefined): string | null {
  if (typeof header !== 'string') return null;
  const [, version, traceId = '', spanId = '', flags = '', more] = shape.exec(header) ?? [];
  if (version === undefined || version === 'ff' || isNothing(traceId) || isNothing(spanId)) return null;
  if (version !== '00') return `00-${traceId}-${spanId}-${isSampled(flags) ? '01' : '00'}`;
  return more === undefined ? header : null;
}

export function partsOf(traceparent: string): { traceId: string; spanId: string; sampled: boolean } {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  return { traceId, spanId, sampled: isSampled(flags) };
}

function isSampled(flags: string): boolean {
  return (Number.parseInt(flags, 16) & 1) === 1;
}
