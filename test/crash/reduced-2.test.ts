import { testHalf } from "./run-reduced";

testHalf(1);
