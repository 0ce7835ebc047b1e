/** The JSON of a body; undefined when it is none (an HTML page of a proxy, half an answer). */
export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
