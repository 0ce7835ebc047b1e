import type { MouseEvent } from 'react';

type Click = Pick<MouseEvent, 'button' | 'ctrlKey' | 'metaKey' | 'shiftKey'>;

/** What a click on a row does. Null: nothing, because it met something with a purpose of its own or selected text. */
export function effectOf(
  { button, ctrlKey, metaKey, shiftKey }: Click,
  on: { isControl: boolean; isSelecting: boolean },
): 'open' | 'openTab' | null {
  if (on.isControl || button > 1) return null;
  if (button === 1 || ctrlKey || metaKey || shiftKey) return 'openTab';
  return on.isSelecting ? null : 'open';
}

const controls = 'a, button, input, select, textarea, label, summary, [role=button]';

const isControl = ({ target }: MouseEvent) => target instanceof Element && target.closest(controls) !== null;

function onClick(event: MouseEvent<HTMLElement>): void {
  const isSelecting = window.getSelection()?.isCollapsed === false;
  const effect = effectOf(event, { isControl: isControl(event), isSelecting });
  const link = event.currentTarget.querySelector<HTMLAnchorElement>('a[data-row]');
  if (!link || effect === null) return;
  if (effect === 'openTab') window.open(link.href, '_blank', 'noopener');
  else link.click();
}

/** In some systems, the middle button scrolls or pastes. */
function onMouseDown(event: MouseEvent<HTMLElement>): void {
  if (event.button === 1 && !isControl(event)) event.preventDefault();
}

/** The whole row opens what its link with `data-row` leads to; the text of the row can still be selected. */
export const opensLink = { onClick, onAuxClick: onClick, onMouseDown } as const;

export const rowLook = 'cursor-pointer hover:bg-hover';
