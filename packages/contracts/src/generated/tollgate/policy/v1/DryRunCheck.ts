// Original file: protos/tollgate/policy/v1/policy.proto


export interface DryRunCheck {
  'name'?: (string);
  'passed'?: (boolean);
}

export interface DryRunCheck__Output {
  'name': (string);
  'passed': (boolean);
}
