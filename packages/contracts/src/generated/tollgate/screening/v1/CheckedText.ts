// Original file: protos/tollgate/screening/v1/screening.proto


export interface CheckedText {
  /**
   * unique in the request
   */
  'id'?: (string);
  /**
   * INPUT, TOOL_RESULTS, OUTPUT, TOOL_ARGUMENTS, MCP_REQUEST, MCP_RESULT
   */
  'place'?: (string);
  /**
   * system, user, assistant
   */
  'role'?: (string);
  /**
   * placeholders stand for what other rules masked
   */
  'text'?: (string);
}

export interface CheckedText__Output {
  /**
   * unique in the request
   */
  'id': (string);
  /**
   * INPUT, TOOL_RESULTS, OUTPUT, TOOL_ARGUMENTS, MCP_REQUEST, MCP_RESULT
   */
  'place': (string);
  /**
   * system, user, assistant
   */
  'role': (string);
  /**
   * placeholders stand for what other rules masked
   */
  'text': (string);
}
