import { testPart } from "./run-reduced";

testPart("second half");
