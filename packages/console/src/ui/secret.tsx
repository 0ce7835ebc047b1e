import { text } from '../strings.ts';
import { Button, Copy, canCopy } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Code } from './values.tsx';

/** A secret that is shown once. Null: nothing is shown. */
export function ShownOnce(props: { value: string | null; title: string; hint: string; onClose: () => void }) {
  const { value, title, hint, onClose } = props;
  return (
    <Dialog title={title} isOpen={value !== null} onClose={onClose}>
      <p className="mb-3 text-soft">{hint}</p>
      <Code of={value ?? ''} label={title} />
      <div className="mt-4 flex justify-end gap-2">
        {canCopy() && <Copy value={value ?? ''} />}
        <Button tone="primary" onClick={onClose}>
          {text.stored}
        </Button>
      </div>
    </Dialog>
  );
}
