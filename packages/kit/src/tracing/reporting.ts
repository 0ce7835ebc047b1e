import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from '../logger.ts';

/** An exporter that says when spans begin to be lost, and when they arrive again, not each time. */
export function reporting(exporter: SpanExporter, log: Logger): SpanExporter {
  let areLost = false;

  function report({ message }: { message?: string } = {}): void {
    const isLost = message !== undefined;
    if (isLost === areLost) return;
    areLost = isLost;
    if (isLost) log.warn({ reason: message }, 'spans are lost: the collector does not take them');
    else log.info('the collector takes spans again');
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
