/** Status of a rule or a group. */
export const STATUSES = ['Active', 'Inactive'] as const;
export type Status = (typeof STATUSES)[number];

/** The status of a rule with what follows from its group and its patterns. */
export const EFFECTIVE_STATUSES = [...STATUSES, 'Unsupported'] as const;
