import { expect, it } from '@jest/globals';
import { parseConfig } from '../config.ts';
import { tracingConfig } from './config.ts';

const read = (env: Record<string, string>) => parseConfig(tracingConfig, env);

it('without settings nothing is traced, and all that is once it is', () => {
  expect(read({})).toEqual({ OTEL_EXPORTER_OTLP_HEADERS: {}, OTEL_TRACES_SAMPLER_ARG: 1 });
});

it('headers are read as OpenTelemetry writes them', () => {
  const { OTEL_EXPORTER_OTLP_HEADERS } = read({
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20YTpi=, x-team = platform ,',
  });
  expect(OTEL_EXPORTER_OTLP_HEADERS).toEqual({ authorization: 'Basic YTpi=', 'x-team': 'platform' });
});

it.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://collector:4317'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'hidden'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=hidden%0d%0ab: c'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=hidden%zz'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
  ['OTEL_TRACES_SAMPLER_ARG', 'all'],
])('%s is refused when it is %s, and no header is repeated', (name, value) => {
  expect(() => read({ [name]: value })).toThrow(new RegExp(`^ {2}${name}: (?!.*hidden)`, 'm'));
});
