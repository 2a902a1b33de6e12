/** What is believed of the end users, sessions and tags that requests name. */
export interface AttributionRules {
  /** They count in the whole organisation. */
  readonly trusted: boolean;
  /** The keys of tags that requests may set. */
  readonly tagKeys: readonly string[];
  /** A request with another key is refused; otherwise that tag is ignored. */
  readonly refuseUnknownTags: boolean;
}
