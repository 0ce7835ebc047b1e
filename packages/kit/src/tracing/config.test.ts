import { expect, it } from '@jest/globals';
import { parseConfig } from '../config.ts';
import { tracingConfig } from './config.ts';

const read = (env: Record<string, string>) => parseConfig(tracingConfig, env);

it('tracing is off without settings, and on with all its settings', () => {
  expect(read({})).toEqual({ OTEL_EXPORTER_OTLP_HEADERS: {}, OTEL_TRACES_SAMPLER_ARG: 1 });
});

it('headers are read in the format of OpenTelemetry', () => {
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
])('%s is refused when it is %s, without the headers in the message', (name, value) => {
  expect(() => read({ [name]: value })).toThrow(new RegExp(`^ {2}${name}: (?!.*hidden)`, 'm'));
});
