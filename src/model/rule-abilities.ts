/** Abilities of this server: each needs an option of `serve`. */
export interface RuleAbilities {
  /** `--rule-code` */
  readonly runsCode: boolean;
  /** `--rule-files` */
  readonly readsFiles: boolean;
}

/** Abilities of a server with both options. */
export const ABLE: RuleAbilities = { runsCode: true, readsFiles: true };

/** Why a pair cannot act here: the reason that an evaluation gives, and the option that changes it. */
export const UNABLE = {
  codeOff: 'cannot act: start the server with --rule-code',
  filesOff: 'cannot act: start the server with --rule-files <folder>',
} as const;
export type Unable = keyof typeof UNABLE;
