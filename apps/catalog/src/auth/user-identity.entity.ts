import {
  CreateDateColumn,
  Column,
  Entity,
  ForeignKey,
  Index,
  PrimaryColumn,
  Unique,
} from 'typeorm';
import { User } from '../entities/user.entity';

/** Who a user is at an identity provider. Its subject stays when the email address changes. */
@Entity('user_identity')
@Unique(['issuer', 'userId'])
@Index(['userId'])
@ForeignKey(() => User, ['userId'], ['id'], { onDelete: 'CASCADE' })
export class UserIdentity {
  @PrimaryColumn('text')
  issuer!: string;

  @PrimaryColumn('text')
  subject!: string;

  @Column('uuid')
  userId!: string;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;
}
