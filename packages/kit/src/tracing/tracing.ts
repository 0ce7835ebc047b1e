import type { Logger } from '../logger.ts';
import type { TracingConfig } from './config.ts';

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
