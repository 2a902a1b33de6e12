import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Failed attempts of one kind from one address or at one account, shared by all replicas. */
@Entity('sign_in_throttle')
@Index(['forgetAt'])
export class SignInThrottle {
  /** A hash of the address or account; neither is stored. */
  @PrimaryColumn('bytea')
  key!: Buffer;

  @Column('integer')
  failures!: number;

  /** The epoch when nothing is blocked. */
  @Column('timestamptz')
  blockedUntil!: Date;

  @Column('timestamptz')
  forgetAt!: Date;
}
