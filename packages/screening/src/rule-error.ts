/** A rule that cannot be used. */
export class RuleError extends Error {
  override readonly name = 'RuleError';

  constructor(
    /** The place of the rule in its list. */
    readonly rule: number,
    /** The field below the rule, as patterns[0].pattern. */
    readonly field: string,
    message: string,
  ) {
    super(message);
  }
}
