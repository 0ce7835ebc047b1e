import { isObject } from '@holdfast/domain/inputFiles';
import { Document, isMap, isNode, isPair, isScalar } from 'yaml';
import { type ModelDraft, slugOf } from './draft.ts';

/** More than any run costs, so that a price nobody set is not a gift. */
const placeholder = '1';

/** The YAML of a draft, valid as it stands; without a known price the model is not offered. */
export function modelFile(draft: ModelDraft, slug = slugOf(draft.name)): string {
  const { price, input } = draft;
  const document = new Document(
    {
      slug,
      aliases: draft.aliases.filter((alias) => alias !== slug),
      ...(draft.description !== null && { description: draft.description.slice(0, 4000) }),
      ...(price === null && { active: false }),
      provider: draft.provider,
      input_schema: input.schema,
      price: price ?? { per_run: placeholder },
      ...(draft.estimate !== undefined && { estimate: draft.estimate }),
      ...(draft.timeoutS !== undefined && { timeout_s: draft.timeoutS }),
      output: draft.output,
    },
    // Readers of YAML 1.1 take 1:1 for a number.
    { compat: 'yaml-1.1' },
  );
  if (draft.aliases.every((alias) => alias === slug)) document.delete('aliases');
  document.commentBefore = [
    ' yaml-language-server: $schema=../docs/model.schema.json',
    ` Imported from ${draft.source}. The comments say what it does not.`,
  ].join('\n');
  if (price === null) {
    comment(document, ['active'], 'Not offered until you have set the price: then remove this line.');
    comment(document, ['price'], `${draft.priceNote} The price below is a placeholder.`);
  } else comment(document, ['price'], draft.priceNote);
  comment(document, ['description'], 'Clients read this: it should not name the provider.');
  for (const [name, note] of Object.entries(input.notes))
    comment(document, ['input_schema', 'properties', name], note);
  if (draft.outputNote !== undefined) comment(document, ['output'], draft.outputNote);
  writeInLines(document, input);
  return document.toString({ lineWidth: 108, flowCollectionPadding: true }) + streamLines(draft);
}

function comment(document: Document, path: string[], text: string): void {
  const parent: unknown = document.getIn(path.slice(0, -1), true) ?? document.contents;
  if (!isMap(parent)) return;
  const pair = parent.items.find((one) => isPair(one) && isScalar(one.key) && one.key.value === path.at(-1));
  if (isNode(pair?.key)) pair.key.commentBefore = ` ${text}`;
}

/** Each property in a line of its own, as in other model files. */
function writeInLines(document: Document, { schema }: ModelDraft['input']): void {
  const names = Object.keys(isObject(schema['properties']) ? schema['properties'] : {});
  const places = [...names.map((name) => ['input_schema', 'properties', name]), ['input_schema', 'required']];
  for (const place of places) {
    const node = document.getIn(place, true);
    if (node !== null && typeof node === 'object') (node as { flow?: boolean }).flow = true;
  }
}

function streamLines({ stream }: ModelDraft): string {
  if (stream === null) return '';
  return `# The model can stream its output. To offer that, decide what a cancel costs after output was shown, and say
# so in place of the comment: with release a client can read nearly all, cancel, and pay nothing.
# stream: ${stream}
# on_cancel: charge    # or release
`;
}
