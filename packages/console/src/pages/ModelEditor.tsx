import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { change, type Schemas } from '../api.ts';
import { useMissingRole, useSession } from '../features/access/session.tsx';
import { DryRun } from '../features/modelEditor/dryRun.tsx';
import type { YamlEditor } from '../features/modelEditor/yamlEditor.ts';
import { YamlField } from '../features/modelEditor/yamlField.tsx';
import { textDraftOf } from '../features/models/drafts.ts';
import { useSettled } from '../features/models/running.ts';
import { readStoredModel, useModelChanges, useStoredModel } from '../features/models/stored.ts';
import { modelEditorText } from '../strings/modelEditor.ts';
import { text } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { useChangeDialog } from '../ui/dialog.tsx';
import { Heading } from '../ui/heading.tsx';
import { Problem, UntilRead } from '../ui/states.tsx';

const template = `slug: acme-text
display_name: Acme text
description: Writes a text from a prompt.
active: false # Until a test run has shown that it works: then choose “Offer to clients” on its page.
provider:
  adapter: openai
  connection: acme
  model: acme-large
input_schema:
  type: object
  additionalProperties: false
  required: [prompt]
  properties:
    prompt: { type: string, minLength: 1, maxLength: 4000 }
  examples:
    - { prompt: Write a haiku about a lighthouse. }
price: { per_run: "0.01" }
output: { kind: text }
`;

export function ModelEditor() {
  const { model } = useSearch({ from: '/models/-/edit' });
  const stored = useStoredModel(model);
  const title = model === undefined ? modelEditorText.create : modelEditorText.titleOf(model);
  // Later reads of the model must not take away what is being written.
  const [opened, setOpened] = useState<Schemas['StoredModel'] | null>(null);
  const { data } = stored;
  useEffect(() => {
    if (data && !stored.isFetching) setOpened((before) => (before?.slug === data.slug ? before : data));
  }, [data, stored.isFetching]);
  return (
    <>
      <nav className="mb-3 text-soft">
        <Link to="/models" className="hover:underline">{`← ${text.nav.models}`}</Link>
      </nav>
      {model !== undefined && <UntilRead of={stored} title={title} />}
      {model === undefined && <Workbench key="new" title={title} opened={null} />}
      {opened && opened.slug === model && <Workbench key={model} title={title} opened={opened} />}
    </>
  );
}

const none: Schemas['ModelProblem'][] = [];

function Workbench({ title, opened }: { title: string; opened: Schemas['StoredModel'] | null }) {
  const editor = useRef<YamlEditor | null>(null);
  const { data: session } = useSession();
  const draft = textDraftOf(opened?.slug ?? null, session?.id, sessionStorage);
  const original = opened?.yaml ?? template;
  const [kept] = useState(draft.read);
  const [yaml, setYaml] = useState(kept?.yaml ?? original);
  const [base, setBase] = useState(kept?.version ?? opened?.version ?? null);
  const edit = (changed: string) => {
    setYaml(changed);
    if (changed === original) draft.drop();
    else draft.keep({ yaml: changed, version: base });
  };
  const load = (current: Schemas['StoredModel']) => {
    editor.current?.replace(current.yaml);
    setBase(current.version);
    draft.drop();
  };
  const settled = useSettled(yaml);
  const check = useQuery({
    queryKey: ['model check', settled],
    queryFn: () => change<Schemas['ModelCheck']>('POST', '/models/check', { body: { yaml: settled } }),
    enabled: settled !== '',
    gcTime: 0,
    placeholderData: (before) => before,
  });
  const missing = useMissingRole('admin');
  const isCurrent = settled === yaml && !check.isFetching && check.error === null;
  return (
    <>
      <Heading title={title} />
      <p className="mt-1 max-w-3xl text-soft">{modelEditorText.about}</p>
      {opened?.source === 'file' && <p className="mt-1 max-w-3xl text-busy">{modelEditorText.fromFile}</p>}
      {kept?.yaml === yaml && (
        <p className="mt-1 flex flex-wrap items-center gap-3 text-busy">
          {modelEditorText.draft}
          <Button onClick={() => editor.current?.replace(original)}>{modelEditorText.discard}</Button>
        </p>
      )}
      <div className="mt-4 grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <section className="min-w-0 rounded-lg border border-line bg-card">
          <YamlField
            label={modelEditorText.yaml}
            text={yaml}
            isReadOnly={missing !== null}
            problems={check.data?.problems ?? none}
            warnings={check.data?.warnings ?? none}
            editor={editor}
            onChange={edit}
          />
        </section>
        <Card
          title={modelEditorText.dryRun}
          aside={
            <Apply
              yaml={yaml}
              check={isCurrent && yaml !== opened?.yaml ? check.data : undefined}
              disabledBecause={missing}
              onApplied={draft.drop}
            />
          }
        >
          <div aria-live="polite" className="space-y-3">
            {check.isPending && <p className="text-soft">{modelEditorText.checking}</p>}
            {check.error && <Problem error={check.error} onRetry={() => void check.refetch()} />}
            {check.data && opened && (
              <OtherModel of={opened} version={base} check={check.data} onLoad={load} />
            )}
            {check.data && <DryRun of={check.data} goTo={(line) => editor.current?.goTo(line)} />}
          </div>
        </Card>
      </div>
    </>
  );
}

/** Warns where the text no longer is a change of the model that was opened. */
function OtherModel(props: {
  of: Schemas['StoredModel'];
  /** That the text is a change of. */
  version: string | null;
  check: Schemas['ModelCheck'];
  onLoad: (current: Schemas['StoredModel']) => void;
}) {
  const { of, version, check, onLoad } = props;
  const load = async () => onLoad(await readStoredModel(of.slug));
  if (check.slug !== null && check.slug !== of.slug)
    return <p className="text-busy">{modelEditorText.otherSlug(check.slug, of.slug)}</p>;
  if (!check.current || check.current.version === version) return null;
  return (
    <div className="space-y-2 text-busy">
      <p>{modelEditorText.moved}</p>
      <Button onClick={() => void load()}>{modelEditorText.loadCurrent}</Button>
    </div>
  );
}

/** Applies what the dry run shows: the API refuses it if the model has another version by then. */
function Apply(props: {
  yaml: string;
  check: Schemas['ModelCheck'] | undefined;
  disabledBecause: string | null;
  onApplied: () => void;
}) {
  const { yaml, check, disabledBecause, onApplied } = props;
  const navigate = useNavigate();
  const client = useQueryClient();
  const { apply } = useModelChanges();
  const { isBusy, error, run } = useChangeDialog();
  const applyTo = async (slug: string, version: string | null) => {
    try {
      await apply(slug, { yaml, version });
    } catch (reason) {
      void client.invalidateQueries({ queryKey: ['model check'] });
      throw reason;
    }
    onApplied();
    await navigate({ to: '/models/$slug', params: { slug } });
  };
  const { slug = null, current = null } = check ?? {};
  const isReady = check?.is_valid === true && slug !== null;
  return (
    <>
      <Button
        tone="primary"
        disabled={!isReady || isBusy || disabledBecause !== null}
        title={disabledBecause ?? undefined}
        onClick={() => slug !== null && void run(() => applyTo(slug, current?.version ?? null))}
      >
        {modelEditorText.apply}
      </Button>
      {error !== null && <Problem error={error} />}
    </>
  );
}
