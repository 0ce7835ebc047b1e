import { createServer } from 'node:http';
import { closeServer, listenAt } from '@holdfast/kit/http';
import { until } from '@holdfast/testkit/until';

export type SentSpan = {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  /** Empty for the first span of a trace. */
  parentSpanId: string;
  kind: number;
  isFailure: boolean;
  attributes: Record<string, string | number | boolean>;
};

/** Receives spans as a collector does: OTLP in JSON over HTTP. */
export async function startCollector() {
  const spans: SentSpan[] = [];
  const requests: { path: string; headers: NodeJS.Dict<string | string[]> }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      requests.push({ path: request.url ?? '', headers: request.headers });
      spans.push(...spansIn(JSON.parse(body) as Export));
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  const port = await listenAt(server, { host: '127.0.0.1', port: 0 });
  const ofTrace = (traceId: string) => spans.filter((span) => span.traceId === traceId);
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    requests,
    ofTrace,
    /**
     * Resolves with the spans of a trace once it has this number of each name. On a slow machine a run may be polled
     * and stopped more often: such spans count only where they are named, and stops once.
     */
    async whole(traceId: string, names: string[]): Promise<SentSpan[]> {
      const have = () =>
        ofTrace(traceId)
          .map(({ name }) => name)
          .filter((name) => names.includes(name) || !/^(poll|stop|cancel)\b/.test(name))
          .filter((name, index, all) => !/^(poll|stop|cancel)\b/.test(name) || all.indexOf(name) === index);
      return await until(
        `the spans ${names.join(', ')}`,
        () => names.toSorted().join() === have().toSorted().join() && ofTrace(traceId),
      ).catch((error: Error) => {
        throw new Error(`${error.message}; there are ${have().toSorted().join(', ')}`);
      });
    },
    async close() {
      const closed = closeServer(server);
      server.closeAllConnections();
      await closed;
    },
  };
}

type Value = { stringValue?: string; intValue?: number | string; boolValue?: boolean };
type Attribute = { key: string; value: Value };
type Sent = Omit<SentSpan, 'parentSpanId' | 'attributes'> & {
  parentSpanId?: string;
  status: { code: number };
  attributes: Attribute[];
};
type Export = {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: Sent[] }[];
  }[];
};

function spansIn({ resourceSpans }: Export): SentSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans }) =>
      spans.map(({ name, traceId, spanId, parentSpanId, kind, status, attributes }) => ({
        service,
        name,
        traceId,
        spanId,
        parentSpanId: parentSpanId ?? '',
        kind,
        isFailure: status.code === 2,
        attributes: valuesOf(attributes),
      })),
    );
  });
}

function valuesOf(attributes: Attribute[]): SentSpan['attributes'] {
  return Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue, boolValue } }) => [
      key,
      stringValue ?? boolValue ?? Number(intValue),
    ]),
  );
}
