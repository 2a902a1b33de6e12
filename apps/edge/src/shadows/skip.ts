/** Why the shadow of a request was not sent, as far as only the edge knows it. */
export type ShadowSkip =
  'busy' | 'left_out' | 'no_conversation' | 'other_model' | 'server_tools' | 'stored' | 'too_large';
