// Original file: protos/tollgate/policy/v1/policy.proto


export interface HealthRequest {
}

export interface HealthRequest__Output {
}
