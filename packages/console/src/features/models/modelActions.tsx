import { Link } from '@tanstack/react-router';
import { modelEditorText } from '../../strings/modelEditor.ts';
import { Button, linkLook } from '../../ui/button.tsx';
import { download } from '../../ui/csv.ts';
import { Confirmed } from '../../ui/dialog.tsx';
import { useMissingRole } from '../access/session.tsx';
import type { Definition } from './models.ts';
import { useModelChanges, useStoredModel } from './stored.ts';

/** What an operator can do with a model. */
export function ModelActions({ of: { slug, active } }: { of: Pick<Definition, 'slug' | 'active'> }) {
  const { data } = useStoredModel(slug);
  if (!data) return null;
  return (
    <>
      <Button onClick={() => download(`${slug}.yaml`, data.yaml)}>{modelEditorText.download}</Button>
      <ModelSwitch of={{ slug, active }} />
      <Link to="/models/-/edit" search={{ model: slug }} className={linkLook}>
        {modelEditorText.edit}
      </Link>
    </>
  );
}

/** Disables a model, or offers it to clients. */
export function ModelSwitch({ of: { slug, active } }: { of: Pick<Definition, 'slug' | 'active'> }) {
  const { data } = useStoredModel(slug);
  const { setActive } = useModelChanges();
  const missing = useMissingRole('admin');
  if (!data) return null;
  const question = active ? modelEditorText.disableQuestion(slug) : modelEditorText.restoreQuestion(slug);
  return (
    <Confirmed
      label={active ? modelEditorText.disable : modelEditorText.restore}
      tone={active ? 'danger' : 'plain'}
      question={data.source === 'file' ? `${question} ${modelEditorText.takesOver}` : question}
      disabledBecause={missing}
      act={() => setActive(data, !active)}
    />
  );
}
