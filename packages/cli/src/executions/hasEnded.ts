import { terminalStatuses } from '@holdfast/domain/statuses';

export const hasEnded = ({ status }: { status: string }) => terminalStatuses.some((one) => one === status);
