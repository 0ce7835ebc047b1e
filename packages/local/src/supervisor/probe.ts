import { get } from 'node:http';

/** Whether the URL returns 2xx within `timeoutMs`. Never throws. */
export function probe(url: string, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: timeoutMs }, (response) => {
      response.resume();
      const status = response.statusCode ?? 0;
      resolve(status >= 200 && status < 300);
    });
    // The `timeout` option covers silence only; a slow body must not hold a probe.
    const timer = setTimeout(() => request.destroy(), timeoutMs);
    request.on('error', () => resolve(false));
    request.on('close', () => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}
