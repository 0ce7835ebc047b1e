import { text } from '../strings/shared.ts';
import { Button, Copy, canCopy } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Code } from './values.tsx';

/** A secret that is shown once, and perhaps another one. Null: nothing is shown. */
export function ShownOnce(props: {
  value: string | null;
  title: string;
  hint: string;
  also?: { title: string; value: string } | undefined;
  onClose: () => void;
}) {
  const { value, title, hint, also, onClose } = props;
  return (
    <Dialog title={title} isOpen={value !== null} onClose={onClose}>
      <p className="mb-3 text-soft">{hint}</p>
      <Code of={value ?? ''} label={title} />
      {also && (
        <div className="mt-3">
          <div className="mb-1 flex items-center justify-between gap-2 text-soft text-xs">
            {also.title}
            {canCopy() && <Copy value={also.value} />}
          </div>
          <Code of={also.value} label={also.title} />
        </div>
      )}
      <div className="mt-4 flex justify-end gap-2">
        {canCopy() && <Copy value={value ?? ''} />}
        <Button tone="primary" onClick={onClose}>
          {text.stored}
        </Button>
      </div>
    </Dialog>
  );
}
