import { parseJson as parseText } from '@holdfast/egress/response';

/** The JSON of a body; undefined when it is none (an HTML page of a proxy, half an answer). */
export function parseJson(body: Buffer): unknown {
  return parseText(body.toString('utf8'));
}
