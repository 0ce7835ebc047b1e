import type { Operation } from '../openapi/operations.ts';

/** The request of an operation as a shell command. */
export function curlCommand({ method, path, operation }: Operation, example: unknown): string {
  const verb = method.toUpperCase();
  const lines = [
    verb === 'GET' ? `curl "$HOLDFAST_URL${path}"` : `curl -X ${verb} "$HOLDFAST_URL${path}"`,
    '-H "Authorization: Bearer $HOLDFAST_API_KEY"',
    ...(operation.operationId === 'postExecutions' ? ['-H "Idempotency-Key: order-A-17"'] : []),
    ...(operation.operationId === 'getExecutionsIdEvents' ? ['-N'] : []),
    ...(operation.operationId === 'getFilesFileIdDownload' ? ['-o result.png'] : []),
  ];
  if (example !== undefined) {
    lines.push('-H "Content-Type: application/json"', `-d '${JSON.stringify(example, null, 2)}'`);
  }
  return lines.join(' \\\n  ');
}
